"""The accounts elsewhere by which somebody comes in: shown, and forgotten by their owner. The last way in stays."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from accounts.models import SignOnIdentity
from security.audit import audit
from tenants.authentication.session_proof import SIGN_ON, asks_for_sign_on
from tenants.context import identity_tx
from tenants.errors import BadRequest, NotFound
from tenants.models import Organization, User

LAST_WAY_IN = gettext_lazy("This is the only way into your account. Set a password or add a passkey first.")


@dataclass(frozen=True)
class SignOnLink:
    """A person's identity at the sign-on of one of their organizations. `stays`: why it can't be forgotten; '' if it can."""

    organization: Organization
    email: str
    stays: str


def sign_on_links(user: User) -> list[SignOnLink]:
    """Return the person's identities at sign-ons. Two queries, and one more if there are any."""
    identities = SignOnIdentity.unscoped.using("system").filter(membership__user_id=user.pk, membership__is_active=True)
    ids = list(identities.filter(organization__is_active=True).values_list("organization_id", flat=True))
    organizations = Organization.objects.using("auth").filter(pk__in=ids).order_by("name") if ids else []
    return [SignOnLink(each, user.email, why_link_stays(user, each)) for each in organizations]


def why_link_stays(user: User, organization: Organization) -> str:
    """Return why the person's identity at this organization's sign-on can't be forgotten; '' if it can."""
    if asks_for_sign_on((organization.policy or {}).get(SIGN_ON), email=user.email):
        return gettext("%(organization)s asks for its sign-on.") % {"organization": organization.name}
    return str(LAST_WAY_IN) if is_last_way_in(user) else ""


def is_last_way_in(user: User) -> bool:
    """Return whether one account elsewhere is all by which the person comes in. A code by mail does not count: who reads the mail has it.

    At most four queries.
    """
    if user.has_usable_password() or Authenticator.objects.filter(user_id=user.pk, type=Authenticator.Type.WEBAUTHN).exists():
        return False
    elsewhere: int = SocialAccount.objects.filter(user_id=user.pk, provider__in=[*settings.SOCIAL_LOGINS]).count()
    if elsewhere < 2:
        elsewhere += SignOnIdentity.unscoped.using("system").filter(membership__user_id=user.pk, membership__is_active=True).count()
    return elsewhere < 2


def sign_on_link_forget(*, user: User, organization_id: UUID) -> None:
    """Forget the person's identity at the organization's sign-on. Raises NotFound, BadRequest if it has to stay.

    While the sign-on is there, signing in by it links the person anew, by their address.
    """
    organization = Organization.objects.using("auth").filter(pk=organization_id, is_active=True, memberships__user=user).first()
    if organization is None:
        raise NotFound
    with identity_tx(organization.pk, acting_user_id=user.pk):
        identity = SignOnIdentity.objects.select_for_update().filter(membership__user_id=user.pk).first()
        if identity is None:
            raise NotFound
        if reason := why_link_stays(user, organization):
            raise BadRequest(reason)
        identity.delete()
        audit(
            organization_id=organization.pk,
            actor_user_id=user.pk,
            action="sso.unlink",
            object_kind="user",
            object_id=user.pk,
            object_label=str(user),
        )
