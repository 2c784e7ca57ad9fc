"""Models of an organization's own sign-on (OpenID Connect)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy

from tenants.models import Membership, Organization, TenantForeignKey, TenantModel


class SignOn(TenantModel):
    """The identity provider of an organization, and what is made of the people whom it sends."""

    class Provider(models.TextChoices):
        GOOGLE = "google", "Google Workspace"
        ENTRA = "entra", "Entra ID"
        OKTA = "okta", "Okta"
        KEYCLOAK = "keycloak", "Keycloak"
        OTHER = "other", gettext_lazy("Other")

    provider = models.CharField(max_length=10, choices=Provider.choices, default=Provider.OTHER)
    issuer = models.CharField(max_length=300)  # its discovery document is at <issuer>/.well-known/openid-configuration
    client_id = models.CharField(max_length=200)
    secret = TenantForeignKey("security.Secret", models.DO_NOTHING, null=True, editable=False, related_name="+")
    secret_expires_on = models.DateField(null=True)  # as the provider says; None: never, or not known
    is_enabled = models.BooleanField(default=True)
    is_required = models.BooleanField(default=False)  # for people with an address in a proven domain
    way_in = TenantForeignKey(Membership, models.SET_NULL, null=True, editable=False, related_name="+")  # an owner who may do without
    creates_members = models.BooleanField(default=True)  # at their first sign-in
    needs_verified_email = models.BooleanField(default=True)  # False: the provider does not say whether an address is verified
    signs_out_at_provider = models.BooleanField(default=False)
    groups_claim = models.CharField(max_length=100, default="groups")
    default_role = models.CharField(max_length=10, choices=Membership.Role.choices, default=Membership.Role.MEMBER)
    rules = models.JSONField(default=list)  # of accounts.sso.claim_rules, the first that fits wins
    test_report = models.JSONField(default=dict, editable=False)  # of the last test that an admin made; no claims
    changed_at = models.DateTimeField(auto_now=True)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("single sign-on")
        verbose_name_plural = gettext_lazy("single sign-on")
        constraints: ClassVar[list[models.BaseConstraint]] = [models.UniqueConstraint(fields=["organization"], name="sign_on_once")]

    def __str__(self) -> str:
        return self.get_provider_display()


class SignOnDomain(TenantModel):
    """A domain that an organization says it owns. It counts from `proven_at` on."""

    domain = models.CharField(max_length=120, editable=False)
    token = models.CharField(max_length=40, editable=False)  # stands in the DNS record
    proven_at = models.DateTimeField(null=True, editable=False)
    is_proven_by_operator = models.BooleanField(default=False, editable=False)
    checked_at = models.DateTimeField(null=True, editable=False)
    missing_since = models.DateTimeField(null=True, editable=False)  # since when the record of a proven domain was not found any more

    class Meta(TenantModel.Meta):
        ordering: ClassVar[list[str]] = ["domain"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "domain"], name="sign_on_domain_once")
        ]

    def __str__(self) -> str:
        return self.domain


class ProvenDomain(models.Model):
    """Whose a proven domain is: one organization's. Read before the organization is known."""

    domain = models.CharField(max_length=120, primary_key=True)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return self.domain


class SignOnIdentity(TenantModel):
    """Which member an organization's provider means by a subject. Of an issuer and client; a change of either forgets them."""

    membership = TenantForeignKey(Membership, models.CASCADE, editable=False, related_name="+")
    subject = models.CharField(max_length=255, editable=False)
    provider_sessions = models.JSONField(default=list, editable=False)  # the newest `sid` claims, for logout by the provider
    last_used_at = models.DateTimeField(auto_now=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "subject"], name="sign_on_identity_once"),
            models.UniqueConstraint(fields=["organization", "membership"], name="sign_on_identity_of_member"),
        ]

    def __str__(self) -> str:
        return self.subject
