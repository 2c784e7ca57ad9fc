"""Django app config of accounts."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Signing up and in, second factors, invitations, members and the life of an organization."""

    name = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from accounts.deletion_sweeps import invitations_delete, mails_delete, proven_domains_delete
        from accounts.profile.personal_exports import export_bytes_delete
        from accounts.sign_in import signals  # noqa: F401  # its receivers
        from accounts.sign_in.factor_secrets import factors_reseal
        from security.secrets.resealing import reseal_add
        from tenants.deletion.registry import REGISTRY

        REGISTRY.add_before_delete("accounts.PersonalExport", export_bytes_delete)
        REGISTRY.add_organization_sweep(proven_domains_delete)
        REGISTRY.add_user_sweep(mails_delete)
        REGISTRY.add_user_sweep(invitations_delete)
        reseal_add(factors_reseal)
