"""Models of sealed secrets, registered secrets and members' keys, and those of the audit log."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from security.audit_models import AuditDelivery, AuditEvent, AuditExport, AuditWebhook, PlatformEvent
from tenants.models import TenantForeignKey, TenantModel

__all__ = [
    "AuditDelivery",
    "AuditEvent",
    "AuditExport",
    "AuditWebhook",
    "MemberKey",
    "PlatformEvent",
    "RegisteredSecret",
    "Secret",
]

NAME_VALIDATOR = RegexValidator(
    r"^[a-z][a-z0-9_]{0,39}\Z", gettext_lazy("Use small letters, digits and _, starting with a letter; at most 40.")
)


class Secret(TenantModel):
    """A sealed value, bound to the origin that it was entered for.

    Only security.secrets.services seals and opens it. The value is never shown again.
    """

    ciphertext = models.TextField(editable=False)
    key_id = models.CharField(max_length=40, editable=False)  # the key in CREDENTIAL_KEYS that it is sealed under
    bound_origin = models.CharField(max_length=300, editable=False)  # scheme://host:port
    last_four = models.CharField(max_length=4, blank=True, editable=False)
    purpose = models.CharField(max_length=60, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["key_id"], name="secret_key_id")]  # rotation

    def __str__(self) -> str:
        return gettext("set, ends in %(last_four)s") % {"last_four": self.last_four} if self.last_four else "set"


class RegisteredSecret(TenantModel):
    """A secret that one tool's connector may send to one origin, that of the Secret. Models only ever see its placeholder."""

    MEMBER_PREFIX = "my."  # before a member's own name, which may equal an organization's

    # the member who owns it; None: it belongs to the organization
    membership = TenantForeignKey("tenants.Membership", models.RESTRICT, null=True, blank=True, editable=False, related_name="+")
    secret = TenantForeignKey(Secret, models.CASCADE, editable=False, related_name="+")
    name = models.CharField(
        max_length=40, validators=[NAME_VALIDATOR], help_text=gettext_lazy("Stands for the secret in conversations, as {{secret:name}}.")
    )
    tool = models.CharField(max_length=40, validators=[NAME_VALIDATOR], help_text=gettext_lazy("The tool that may use it, such as http."))
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("secret")
        ordering: ClassVar[list[str]] = ["name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "name"],
                condition=Q(membership=None),
                name="registered_secret_once",
                violation_error_message=gettext_lazy("There is already a secret with this name."),
            ),
            models.UniqueConstraint(fields=["organization", "membership", "name"], name="registered_secret_once_per_member"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def placeholder(self) -> str:
        """The name used in the placeholder."""
        return self.name if self.membership_id is None else f"{self.MEMBER_PREFIX}{self.name}"


class MemberKey(TenantModel):
    """A member's own key for a provider (SPEC 2.5). Used only in this member's runs and sent only to the origin of its Secret."""

    membership = TenantForeignKey("tenants.Membership", models.RESTRICT, editable=False, related_name="+")
    provider = models.CharField(max_length=20, editable=False)
    secret = TenantForeignKey(Secret, models.CASCADE, editable=False, related_name="+")
    # The browser session that it was entered for. The key ends with that session, at `expires_at`, or when the password changes
    # (`auth_hash`). Blank: saved until it is removed.
    session_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    auth_hash = models.CharField(max_length=128, blank=True, default="", editable=False)
    expires_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "membership", "provider", "session_hash"], name="member_key_once"),
            models.CheckConstraint(condition=Q(session_hash="") | Q(expires_at__isnull=False), name="member_key_of_session_expires"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["expires_at"], condition=Q(expires_at__isnull=False), name="member_key_expiry")
        ]

    def __str__(self) -> str:
        return f"{self.provider}: {self.secret}"

    @property
    def is_session_only(self) -> bool:
        return bool(self.session_hash)
