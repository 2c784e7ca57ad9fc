"""Domains of an organization: said, proven by a DNS record or by the operator, lost. A proven one belongs to one organization only."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from accounts.models import ProvenDomain, SignOnDomain
from accounts.organizations.member_policy import DOMAIN
from accounts.sso.rights import owner_check
from accounts.sso.sign_on_rule import required_write
from security.audit import audit
from tenants.access import Actor
from tenants.context import for_acting_member, identity_tx, tenant_tx
from tenants.errors import BadRequest, Conflict, NotFound, ParleyError
from tenants.rounds import rows_round

log = structlog.get_logger(__name__)

MAX_DOMAINS = 20
DNS_TIMEOUT_S = 5.0
GRACE = timedelta(days=7)  # until a proven domain whose record is gone no longer counts
PREFIX = "parley-domain="
# Nobody's own: whoever proves one of these by a mistake of its owner would speak for strangers.
SHARED = frozenset({"gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "yahoo.com", "icloud.com", "me.com", "gmx.net",
                    "gmx.de", "web.de", "aol.com", "proton.me", "protonmail.com", "mail.ru", "qq.com", "163.com"})  # fmt: skip

Resolver = Callable[[str], Sequence[str]]


class DomainTaken(Conflict):
    code = "domain_taken"
    message = gettext_lazy("Another organization here has proven this domain. Ask the platform's operator.")


def txt_records(name: str) -> list[str]:
    """Return the TXT records of a name, none if there are none. Raises DNSException if no server answers."""
    import dns.resolver  # many modules, which few processes need

    resolver = dns.resolver.Resolver()
    resolver.lifetime = DNS_TIMEOUT_S
    try:
        answer = resolver.resolve(name, "TXT")
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]


def record_name(domain: str) -> str:
    return f"_parley.{domain}"


def record_value(row: SignOnDomain) -> str:
    return PREFIX + row.token


def domain_of(email: str) -> str:
    return email.rpartition("@")[2].lower()


def proven_domains(organization_id: UUID) -> list[str]:
    """Return the domains that are the organization's: its provider may speak for them, and its policy may name them."""
    return [*ProvenDomain.objects.filter(organization_id=organization_id).order_by("domain").values_list("domain", flat=True)]


@for_acting_member
def domain_add(*, actor: Actor, domain: str) -> SignOnDomain:
    """Note a domain, to be proven. Raises BadRequest, NotAllowed."""
    actor = owner_check(actor)
    domain = domain.strip().lower().removeprefix("@").rstrip(".")
    if not DOMAIN.match(domain):
        raise BadRequest(gettext("Write a domain such as example.org."))
    if domain in SHARED:
        raise BadRequest(gettext("This domain belongs to a mail service, not to your organization."))
    if SignOnDomain.objects.count() >= MAX_DOMAINS:
        raise BadRequest(gettext("An organization has at most %(max_domains)s domains. Remove one first.") % {"max_domains": MAX_DOMAINS})
    row, is_new = SignOnDomain.objects.get_or_create(domain=domain, defaults={"token": secrets.token_hex(16)})
    if is_new:
        _audit(actor.organization_id, actor.user_id, "domain.create", row)
    return row


def domain_check(*, organization_id: UUID, domain_id: UUID, by_user_id: int | None, resolve: Resolver | None = None) -> SignOnDomain:
    """Look for the DNS record and note what was found. Asks other servers, so no transaction may be open. Raises NotFound, DomainTaken."""
    from dns.exception import DNSException

    row = _row(organization_id, domain_id)
    try:
        is_found = record_value(row) in [text.strip() for text in (resolve or txt_records)(record_name(row.domain))]
    except DNSException as error:
        log.info("domain_not_checked", error=type(error).__name__)
        raise BadRequest(gettext("The DNS servers of this domain did not answer. Try again in a moment.")) from error
    with identity_tx(organization_id, acting_user_id=by_user_id):
        row = _row(organization_id, domain_id, lock=True)  # a domain that is removed meanwhile stays removed
        row.checked_at = timezone.now()
        if is_found:
            row.missing_since = None
            _prove(row, organization_id, by_user_id)
        elif row.proven_at and not row.is_proven_by_operator:
            _miss(row, organization_id)
        row.save()
    return row


def domains_check_again(resolve: Resolver | None = None) -> int:
    """Look for the records of all proven domains, each in its organization; return how many are still there. Asks other servers."""
    rows = list(ProvenDomain.objects.order_by("domain").values("domain", "organization_id"))
    return rows_round(partial(_check_again, resolve=resolve), rows, failure="domain_not_checked")


def _check_again(domain: str, organization_id: UUID, *, resolve: Resolver | None) -> bool:
    with tenant_tx(organization_id):
        row = SignOnDomain.objects.filter(domain=domain, is_proven_by_operator=False).first()
    if row is None:
        return False
    try:
        new_row = domain_check(organization_id=organization_id, domain_id=row.pk, by_user_id=None, resolve=resolve)
    except ParleyError as error:
        log.warning("domain_not_checked", code=error.code, organization_id=str(organization_id))
        return False
    return new_row.missing_since is None


def domain_prove_by_operator(*, organization_id: UUID, domain: str, by_user_id: int | None) -> SignOnDomain:
    """Note that the platform's operator vouches for the domain. Raises BadRequest, DomainTaken."""
    domain = domain.strip().lower()
    if not DOMAIN.match(domain):
        raise BadRequest(gettext("Write a domain such as example.org."))
    with identity_tx(organization_id, acting_user_id=by_user_id):
        row, _ = SignOnDomain.objects.get_or_create(domain=domain, defaults={"token": secrets.token_hex(16)})
        row.is_proven_by_operator, row.missing_since = True, None
        _prove(row, organization_id, by_user_id)
        row.save()
    return row


@for_acting_member
def domain_remove(*, actor: Actor, domain_id: UUID) -> None:
    """Give a domain up: the organization's provider no longer speaks for it. Raises NotFound, NotAllowed."""
    actor = owner_check(actor)
    row = _row(actor.organization_id, domain_id)
    ProvenDomain.objects.filter(domain=row.domain, organization_id=actor.organization_id).delete()
    _audit(actor.organization_id, actor.user_id, "domain.delete", row)
    row.delete()
    required_write(actor.organization_id)


def _prove(row: SignOnDomain, organization_id: UUID, by_user_id: int | None) -> None:
    try:
        with transaction.atomic(using="auth"):
            owner, _ = ProvenDomain.objects.get_or_create(domain=row.domain, defaults={"organization_id": organization_id})
    except IntegrityError as error:
        raise DomainTaken from error
    if owner.organization_id != organization_id:
        raise DomainTaken
    if row.proven_at is None:
        row.proven_at = timezone.now()
        _audit(organization_id, by_user_id, "domain.prove", row)
    required_write(organization_id)


def _miss(row: SignOnDomain, organization_id: UUID) -> None:
    """A record that is gone may be a mistake; after the grace the domain is not the organization's any more."""
    row.missing_since = row.missing_since or timezone.now()
    if timezone.now() - row.missing_since >= GRACE:
        row.proven_at = None
        ProvenDomain.objects.filter(domain=row.domain, organization_id=organization_id).delete()
        _audit(organization_id, None, "domain.lose", row)
        required_write(organization_id)


def _row(organization_id: UUID, domain_id: UUID, *, lock: bool = False) -> SignOnDomain:
    with tenant_tx(organization_id):
        rows = SignOnDomain.objects.filter(pk=domain_id)
        row = (rows.select_for_update() if lock else rows).first()
    if row is None:
        raise NotFound
    return row


def _audit(organization_id: UUID, by_user_id: int | None, action: str, row: SignOnDomain) -> None:
    audit(
        organization_id=organization_id,
        actor_user_id=by_user_id,
        action=action,
        object_kind="domain",
        object_id=row.pk,
        object_label=row.domain,
        detail={"by_operator": row.is_proven_by_operator},
    )
