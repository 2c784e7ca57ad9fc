"""Signs a person in by an organization's single sign-on: with the account and membership that exist, or new ones.

The provider's claims decide role and groups.

A provider speaks for addresses in its organization's proven domains, and for nobody else (docs/decisions/0032).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError
from django.utils.translation import gettext

from accounts.members.membership_transactions import membership_tx
from accounts.members.services import membership_audit, places_set
from accounts.members.sign_on import sign_on_join, sign_on_role_set
from accounts.models import SignOn, SignOnIdentity
from accounts.sessions.session_list import sessions_end_others
from accounts.sign_in.addresses import account_claim, address_ensure
from accounts.sso.claim_rules import claim_values, rules_for, rules_of
from accounts.sso.domains import domain_of, proven_domains
from accounts.sso.errors import SignOnFailed
from accounts.sso.handshake import organization_of
from tenants.models import GroupMember, MemberGroup, Membership, User

MAX_PROVIDER_SESSIONS = 10


@dataclass(frozen=True)
class ProviderUser:
    """A person whom the provider has signed in."""

    user: User
    is_new: bool  # their account was made now
    is_claimed: bool = False  # it existed before anybody had verified its address


def proven_address(sign_on: SignOn, claims: Mapping[str, Any], domains: list[str]) -> str:
    """Return the address that the claims prove, in lower case. Raises SignOnFailed."""
    email = str(claims.get("email") or "").strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise SignOnFailed(
            "no_address", gettext("Your organization's sign-on sent no e-mail address. Ask an admin to release it.")
        ) from None
    email_verified = claims.get("email_verified")
    if email_verified not in (True, "true") and (email_verified is not None or sign_on.needs_verified_email):
        raise SignOnFailed(
            "unverified_address", gettext("Your organization's sign-on does not vouch for your e-mail address. Ask an admin.")
        )
    if domain_of(email) not in domains:
        raise SignOnFailed("foreign_domain", gettext("Your organization's sign-on may not speak for this e-mail address. Ask an admin."))
    return email


def person_enter(sign_on: SignOn, claims: Mapping[str, Any]) -> ProviderUser:
    """Return the person whom the checked claims name, and give them the role and groups of today's rules. Raises SignOnFailed."""
    try:
        provider_user = _enter(sign_on, claims)
    except IntegrityError:  # two first sign-ins at once: the other one has made the rows
        provider_user = _enter(sign_on, claims)
    if provider_user.is_claimed:
        sessions_end_others(user_id=provider_user.user.pk, session_key=None)
    return provider_user


def _enter(sign_on: SignOn, claims: Mapping[str, Any]) -> ProviderUser:
    organization_id = organization_of(sign_on)
    with membership_tx(organization_id, by_user_id=None):
        domains = proven_domains(organization_id)
        email = proven_address(sign_on, claims, domains)
        identity = SignOnIdentity.objects.select_related("membership__user").filter(subject=claims["sub"]).first()
        if identity is not None:
            provider_user = ProviderUser(identity.membership.user, is_new=False)
            _check_account(provider_user.user, domains)
            member = identity.membership
        else:
            provider_user = _account(sign_on, email, claims, domains)
            member = _membership(sign_on, provider_user.user)
            identity = _link(member, str(claims["sub"]))
        if not member.is_active:
            raise SignOnFailed("inactive", gettext("Your access to this organization has ended. Ask an admin."))
        _note_session(identity, claims)
        _apply_rules(sign_on, member, claims)
    return provider_user


def _check_account(user: User, domains: list[str]) -> None:
    if not user.is_active:
        raise SignOnFailed("inactive", gettext("This account is deactivated. Ask an admin of your organization."))
    if user.is_superuser or user.is_service_account:
        raise SignOnFailed("not_by_sign_on", gettext("This account can't be used by sign-on. Sign in directly."))
    if domain_of(user.email) not in domains:
        raise SignOnFailed(
            "foreign_domain", gettext("Your account has an e-mail address that your organization's sign-on may not speak for.")
        )


def _account(sign_on: SignOn, email: str, claims: Mapping[str, Any], domains: list[str]) -> ProviderUser:
    user = User.objects.filter(email=email).first()
    if user is not None:
        _check_account(user, domains)
        return ProviderUser(user, is_new=False, is_claimed=account_claim(user))
    if EmailAddress.objects.filter(email__iexact=email, verified=True).exists():
        raise SignOnFailed(
            "address_taken", gettext("Another account has this address as a further one. Remove it there, under E-mail addresses.")
        )
    if not sign_on.creates_members:
        raise SignOnFailed("not_a_member", gettext("You have no account in this organization yet. Ask an admin for an invitation."))
    user = User.objects.create_user(email, None, name=_name(claims))
    address_ensure(user)
    return ProviderUser(user, is_new=True)


def _membership(sign_on: SignOn, user: User) -> Membership:
    organization_id = organization_of(sign_on)
    member = Membership.objects.filter(organization_id=organization_id, user=user).first()
    if member is not None:
        return member
    if not sign_on.creates_members:
        raise SignOnFailed("not_a_member", gettext("You have no account in this organization yet. Ask an admin for an invitation."))
    return sign_on_join(organization_id=organization_id, user=user, role=sign_on.default_role)


def _link(member: Membership, subject: str) -> SignOnIdentity:
    """Link the member to the provider's subject. Raises SignOnFailed for a member who has another one.

    A provider may give an address to another person later, but never a subject.
    """
    if SignOnIdentity.objects.filter(membership=member).exists():
        raise SignOnFailed(
            "other_identity", gettext("This address belonged to another person at your organization's sign-on. Ask an admin.")
        )
    membership_audit(member, None, "sso.link", {})
    return SignOnIdentity.objects.create(membership=member, subject=subject)


def _note_session(identity: SignOnIdentity, claims: Mapping[str, Any]) -> None:
    if isinstance(claims.get("sid"), str):
        others = [sid for sid in identity.provider_sessions if sid != claims["sid"]]
        identity.provider_sessions = [*others, claims["sid"][:200]][-MAX_PROVIDER_SESSIONS:]
    identity.save()


def _apply_rules(sign_on: SignOn, member: Membership, claims: Mapping[str, Any]) -> None:
    """Owners keep their role: a provider must not be able to take the organization away from them."""
    rules = rules_of(sign_on.rules)
    if not rules:
        return
    fitting = rules_for(rules, claim_values(claims, sign_on.groups_claim))
    role = fitting[0].role if fitting else sign_on.default_role
    sign_on_role_set(organization_id=member.organization_id, membership_id=member.pk, role=role)
    managed_ids = {rule.group_id for rule in rules if rule.group_id}
    own = set(GroupMember.objects.filter(membership=member).exclude(group_id__in=managed_ids).values_list("group_id", flat=True))
    rule_group_ids = set(MemberGroup.objects.filter(pk__in={rule.group_id for rule in fitting}).values_list("pk", flat=True))
    places_set(member=member, group_ids=own | rule_group_ids, by_user_id=None)


def _name(claims: Mapping[str, Any]) -> str:
    name = claims.get("name")
    return "".join(letter for letter in name if letter.isprintable()).strip()[:120] if isinstance(name, str) else ""
