"""Django app config of sharing."""

from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "sharing"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from artifacts.access import Grants, grants_set
        from security.secrets.resealing import reseal_add
        from sharing.rights import editors, may_edit
        from sharing.tokens import tokens_reseal

        grants_set(Grants(may_edit, editors))
        reseal_add(tokens_reseal)
