"""Services that change an organization's sign-on. They judge the actor anew and write the audit log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db.models import QuerySet
from django.utils.translation import gettext

from accounts.members.membership_transactions import content_tx
from accounts.models import ProvenDomain, SignOn, SignOnIdentity
from accounts.sso.claim_rules import Rule, Rules
from accounts.sso.metadata import issuer_of
from accounts.sso.rights import owner_check
from accounts.sso.sign_on_rule import required_write
from accounts.sso.trial import is_tested
from security.audit import audit
from security.egress import check_url
from security.secrets.services import secret_check, secret_create, secret_delete
from tenants.access import Actor, actor_refresh
from tenants.context import for_acting_member
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.models import Membership

PURPOSE = "sign-on"
Role = Membership.Role


@dataclass(frozen=True)
class ProviderFields:
    """How the provider is reached. `secret`: blank keeps the one that is stored."""

    provider: str
    issuer: str
    client_id: str
    secret: str = ""
    secret_expires_on: date | None = None
    needs_verified_email: bool = True
    signs_out_at_provider: bool = False
    is_enabled: bool = True


@dataclass(frozen=True)
class PeopleFields:
    """What becomes of people at their sign-in."""

    creates_members: bool
    default_role: str
    groups_claim: str
    rules: tuple[Rule, ...]


def sign_on_of_organization() -> SignOn | None:
    """Return the sign-on of the current organization."""
    return SignOn.objects.select_related("way_in__user", "secret").first()


def provider_save(*, actor: Actor, fields: ProviderFields) -> SignOn:
    """Store the provider's fields. Another issuer or client forgets the last test and who was linked: subjects are the provider's own.

    Raises BadRequest, NotAllowed, EgressRefused.
    """
    with content_tx(actor.organization_id):
        row, old_secret_id = _provider_store(actor=actor, fields=fields)
        _forget(old_secret_id, actor)
    return row


@for_acting_member
def _provider_store(*, actor: Actor, fields: ProviderFields) -> tuple[SignOn, UUID | None]:
    """Return the row, and the secret that it had, if another one took its place."""
    actor = owner_check(actor)
    issuer = issuer_of(fields.issuer)
    check_url(issuer)
    secret_check(value=fields.secret or PURPOSE, url=issuer)  # over https, too, where there is no secret
    existing = sign_on_of_organization()
    row = existing or SignOn(issuer=issuer, client_id=fields.client_id)
    before = _settings_of(existing) if existing else {}
    is_same_provider = existing is not None and (row.issuer, row.client_id) == (issuer, fields.client_id)
    if row.secret is not None and not fields.secret and row.issuer != issuer:
        raise BadRequest(gettext("The address has changed. Enter the client secret again, since it belongs to the address."))
    row.provider, row.issuer, row.client_id = fields.provider, issuer, fields.client_id
    row.needs_verified_email, row.signs_out_at_provider = fields.needs_verified_email, fields.signs_out_at_provider
    row.is_enabled, row.secret_expires_on = fields.is_enabled, fields.secret_expires_on
    if not is_same_provider:
        row.test_report, row.is_required = {}, False
        SignOnIdentity.objects.all().delete()
    old_secret_id = _seal(row, fields.secret, issuer, actor)
    row.save()
    required_write(actor.organization_id)
    _audit(
        row,
        actor,
        "sso.change" if existing else "sso.create",
        before,
        _settings_of(row) | ({"secret": "replaced"} if fields.secret else {}),
    )
    return row, old_secret_id


@for_acting_member
def people_save(*, actor: Actor, fields: PeopleFields) -> None:
    """Store what becomes of people. Nobody makes others what they may not make themselves: owners are never made here."""
    actor = _admin(actor)
    row = _require_sign_on()
    if fields.default_role not in {Role.ADMIN, Role.AUDITOR, Role.MEMBER, Role.VIEWER}:
        raise BadRequest(gettext("Choose a role for people whom no rule fits."))
    before = _settings_of(row)
    row.creates_members, row.default_role = fields.creates_members, fields.default_role
    row.groups_claim, row.rules = fields.groups_claim, Rules.dump_python(fields.rules, mode="json")
    row.save()
    _audit(row, actor, "sso.change", before, _settings_of(row))


@for_acting_member
def required_set(*, actor: Actor, is_required: bool, way_in_id: UUID | None) -> None:
    """Let people with proven addresses in by sign-on only, or by every way again.

    Needs a test without problems, a proven domain, and an owner with a passkey who may come in directly when the provider is away.
    Raises BadRequest, NotAllowed, NotFound.
    """
    actor = owner_check(actor)
    row = _require_sign_on()
    before = _settings_of(row)
    way_in = ways_in(actor.organization_id).filter(pk=way_in_id).first() if way_in_id else None
    if is_required:
        if not is_tested(row):
            raise BadRequest(gettext("Test the sign-in first. It has to pass without a problem."))
        if not ProvenDomain.objects.filter(organization_id=actor.organization_id).exists():
            raise BadRequest(gettext("Prove a domain first."))
        if way_in is None:
            raise BadRequest(gettext("Name an owner with a passkey who can sign in directly when the sign-on is down."))
    row.is_required, row.way_in = is_required, way_in
    row.save()
    required_write(actor.organization_id)
    _audit(row, actor, "sso.require" if is_required else "sso.change", before, _settings_of(row))


def sign_on_remove(*, actor: Actor) -> None:
    """Remove the sign-on with its secret and links. Domains stay proven."""
    with content_tx(actor.organization_id):
        _forget(_row_remove(actor=actor), actor)


@for_acting_member
def _row_remove(*, actor: Actor) -> UUID | None:
    actor = owner_check(actor)
    row = _require_sign_on()
    SignOnIdentity.objects.all().delete()
    _audit(row, actor, "sso.delete", _settings_of(row), {})
    secret_id = row.secret_id
    row.delete()
    required_write(actor.organization_id)
    return secret_id


@for_acting_member
def link_forget(*, actor: Actor, email: str) -> None:
    """Forget whom the provider means by a member: their next sign-in links them anew, by their address. Raises NotAllowed, BadRequest.

    For a person who has another subject at the provider now, and is refused with `other_identity`.
    """
    actor = owner_check(actor)
    identity = SignOnIdentity.objects.filter(membership__user__email=email.strip().lower()).first()
    if identity is None:
        raise BadRequest(gettext("No member with this address has signed in by the provider."))
    _audit(_require_sign_on(), actor, "sso.unlink", {}, {"membership": str(identity.membership_id)})
    identity.delete()


def ways_in(organization_id: UUID) -> QuerySet[Membership]:
    """Return the owners who could come in without the provider: those with a passkey."""
    people = Authenticator.objects.filter(type=Authenticator.Type.WEBAUTHN).values("user_id")
    owners = Membership.objects.using("auth").filter(organization_id=organization_id, role=Role.OWNER, is_active=True, user__is_active=True)
    return owners.filter(user_id__in=people).select_related("user").order_by("user__name", "pk")


def _seal(row: SignOn, secret: str, issuer: str, actor: Actor) -> UUID | None:
    """Bind the secret to the issuer's origin, whose discovery document says where it is sent. Return the one whose place it takes."""
    if not secret:
        return None
    old_id = row.secret_id
    row.secret = secret_create(
        organization_id=actor.organization_id, value=secret, url=issuer, purpose=PURPOSE, actor_user_id=actor.user_id
    )
    return old_id


def _forget(secret_id: UUID | None, actor: Actor) -> None:
    """Secrets are deleted by the app role, and only when the sign-on without them is stored: rows of many tables refer to them."""
    if secret_id is not None:
        secret_delete(secret_id=secret_id, actor_user_id=actor.user_id)


def _admin(actor: Actor) -> Actor:
    actor = actor_refresh(actor, lock=True)
    if not actor.can_administer:
        raise NotAllowed
    return actor


def _require_sign_on() -> SignOn:
    row = sign_on_of_organization()
    if row is None:
        raise NotFound
    return row


def _settings_of(row: SignOn) -> dict[str, Any]:
    names = ("provider", "issuer", "client_id", "needs_verified_email", "signs_out_at_provider", "is_enabled", "is_required")
    more = ("creates_members", "default_role", "groups_claim", "rules")
    texts = {"way_in": str(row.way_in_id or ""), "secret_expires_on": str(row.secret_expires_on or "")}
    return {**{name: getattr(row, name) for name in (*names, *more)}, **texts}


def _audit(row: SignOn, actor: Actor, action: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind="sso",
        object_id=row.pk,
        object_label=str(row),
        before={name: value for name, value in before.items() if name in changed},
        after={name: value for name, value in after.items() if name in changed},
    )
