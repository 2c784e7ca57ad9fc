"""Finds the provider key for an endpoint (SPEC 2.5): from the request, the member, the organization or the platform.

The first of these that exists is used. A key is sent only to the address that it was entered for (SECURITY 11), so each
source is checked against the endpoint's address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from django.utils.translation import gettext

from admin_config.defaults.github import GITHUB
from admin_config.defaults.platform import PROVIDERS
from admin_config.release import EndpointSnapshot
from admin_config.services.own_keys import is_default_origin, key_services, own_keys_allowed, platform_key, same_origin
from agents.errors import AddressRefused, KeyMissing
from security.audit import count_event
from security.egress import EgressRefused
from security.models import MemberKey, Secret
from security.secrets.errors import SecretUnusable
from security.secrets.member_keys import member_keys_of
from security.secrets.secret_text import SecretText
from security.secrets.services import secret_check, secret_open, secret_reveal, secret_reveal_row
from tenants.context import current_organization_id
from tenants.db import in_db
from tenants.request_context import current_request

KEY_HEADERS: Mapping[str, str] = {spec.key_header: name for name, spec in PROVIDERS.items() if spec.key_header} | {"x-github-pat": GITHUB}
KeySource = Literal["session", "saved", "organization", "platform"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestKeys:
    """The keys of a request, and the browser session or API token that it came with."""

    session_hash: str = ""  # identifies the browser session (security.secrets.member_keys)
    token_id: UUID | None = None
    # Keys from the request's headers, by provider. They stay in the memory of the process that answers it and are stored
    # nowhere.
    sent_keys: Mapping[str, SecretText] = field(default_factory=dict, repr=False)


NO_KEYS = RequestKeys()


@dataclass(frozen=True, slots=True)
class UsableKey:
    """The key for an endpoint."""

    text: SecretText | None  # None when no key is needed
    is_member_key: bool = False  # a member's own key: its limits do not affect the organization


NO_KEY_NEEDED = UsableKey(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyOwner:
    """The member for whom keys are looked up, with the keys of the request that started the run."""

    membership_id: UUID
    request: RequestKeys = NO_KEYS
    lost_providers: frozenset[str] = frozenset()  # providers whose request keys were lost with the process that held them


def header_keys(headers: Mapping[str, str]) -> dict[str, SecretText]:
    """Return the keys in a request's headers, by provider. `headers` must look names up in any case.

    Raises BadRequest for a value that can't be a key.
    """
    keys = {provider: headers.get(header, "").strip() for header, provider in KEY_HEADERS.items()}
    for provider, value in keys.items():
        if value:
            secret_check(value=value, url=key_services()[provider].base_url)
    return {provider: SecretText(value) for provider, value in keys.items() if value}


async def key_for(endpoint: EndpointSnapshot, organization_id: UUID, owner: KeyOwner) -> UsableKey:
    """Return the key for a run's requests to the endpoint. At most three queries, none for the demo. Raises KeyMissing."""
    if endpoint.secret_id is None and not _takes_key(endpoint.provider):
        return NO_KEY_NEEDED
    return await in_db(_counted_key, endpoint, owner, organization_id=organization_id)


@dataclass(frozen=True, slots=True)
class KeyRows:
    """What a key depends on, as it was just read."""

    own_keys_allowed: bool
    endpoint_key: Secret | None  # the organization's key of an endpoint; another endpoint's key is read when it is needed


def key_open(endpoint: EndpointSnapshot, owner: KeyOwner, rows: KeyRows | None = None) -> UsableKey:
    """Like `key_for`, but synchronous and inside the organization's transaction. What `rows` has is not read again."""
    if endpoint.secret_id is None and not _takes_key(endpoint.provider):
        return NO_KEY_NEEDED
    return _counted_key(endpoint, owner, rows)


def key_source(endpoint: EndpointSnapshot, own: MemberKey | None) -> KeySource | None:
    """Return where the key for the endpoint would come from without a request key; None when there is none.

    `own`: the member's own key, None when it may not be used.
    """
    if own is not None and matches_endpoint(own, endpoint):
        return "session" if own.is_session_only else "saved"
    if endpoint.secret_id is not None:
        return "organization"
    return "platform" if _platform_key(endpoint) else None


def select_member_key(own: Sequence[MemberKey], endpoint: EndpointSnapshot) -> MemberKey | None:
    """Return the member's key for the endpoint's provider: the first that matches its address, else the first, to be renewed.

    `own` lists the session's key before the saved one.
    """
    return next((key for key in own if matches_endpoint(key, endpoint)), next(iter(own), None))


def matches_endpoint(own: MemberKey, endpoint: EndpointSnapshot) -> bool:
    """Return whether the key was entered for the address that the endpoint has now."""
    return same_origin(own.secret.bound_origin, endpoint.base_url)


def _counted_key(endpoint: EndpointSnapshot, owner: KeyOwner, rows: KeyRows | None = None) -> UsableKey:
    """Return the key, and count its use for the audit log, which costs no statement here."""
    key = _key(endpoint, owner, rows)
    if key.text is not None:
        count_event(
            organization_id=current_organization_id(),
            actor_user_id=current_request().actor_user_id,
            action="run.own_key" if key.is_member_key else "key.use",
            object_kind="providerendpoint",
            object_id=endpoint.id,
            object_label=endpoint.name,
            detail={"membership": owner.membership_id},
        )
    return key


def _key(endpoint: EndpointSnapshot, owner: KeyOwner, rows: KeyRows | None = None) -> UsableKey:
    allowed = rows.own_keys_allowed if rows else own_keys_allowed()
    members: list[MemberKey] = []
    if allowed:
        if (request_key := _request_key(endpoint, owner)) is not None:
            return UsableKey(request_key, is_member_key=True)
        members = member_keys_of(membership_id=owner.membership_id, session_id_hash=owner.request.session_hash, provider=endpoint.provider)
        own = select_member_key(members, endpoint)
        if own is not None and matches_endpoint(own, endpoint):
            return UsableKey(_open_member_key(own), is_member_key=True)
    key = shared_key(endpoint, rows.endpoint_key if rows else None)
    if key is None and _needs_key(endpoint.provider):
        raise KeyMissing(_missing_key_text(endpoint, owner, allowed=allowed, has_own=bool(members)))
    return UsableKey(key)


def shared_key(endpoint: EndpointSnapshot, endpoint_key: Secret | None = None) -> SecretText | None:
    """Return the key that the organization has for the endpoint, or the platform's own; None without either.

    `endpoint_key`: the organization's, if it has just been read. Raises KeyMissing for a key that can't be opened, and AddressRefused.
    """
    return _open_organization_key(endpoint, endpoint_key) or _platform_key(endpoint)


def _request_key(endpoint: EndpointSnapshot, owner: KeyOwner) -> SecretText | None:
    """Return the request's key for the provider. It is used only at the provider's default address.

    Whoever sends a provider's key trusts the provider, not an address that an admin has configured instead.
    """
    return owner.request.sent_keys.get(endpoint.provider) if is_default_origin(endpoint.provider, endpoint.base_url) else None


def _open_member_key(own: MemberKey) -> SecretText:
    try:
        return secret_open(own.secret)
    except SecretUnusable as exc:
        raise KeyMissing(
            f"Your key for {_label(own.provider)} can't be used any more. Enter it again in your settings under “API keys”."
        ) from exc


def _open_organization_key(endpoint: EndpointSnapshot, secret: Secret | None) -> SecretText | None:
    if endpoint.secret_id is None:
        return None
    try:
        if secret is not None and secret.pk == endpoint.secret_id:
            return secret_reveal_row(secret, url=endpoint.base_url)
        return secret_reveal(secret_id=endpoint.secret_id, url=endpoint.base_url)
    except SecretUnusable as exc:
        text = gettext("The key of %(endpoint)s can't be used any more. An admin has to enter it again.")
        raise KeyMissing(text % {"endpoint": endpoint.name}) from exc
    except EgressRefused as exc:
        raise AddressRefused(str(exc)) from exc


def _platform_key(endpoint: EndpointSnapshot) -> SecretText | None:
    """Return the platform's own key, which is sent only to the provider's default address."""
    key = platform_key(endpoint.provider, endpoint.base_url)
    return SecretText(key) if key else None


def _missing_key_text(endpoint: EndpointSnapshot, owner: KeyOwner, *, allowed: bool, has_own: bool) -> str:
    """Return a text for the user that says what is missing and where to enter it."""
    label = _label(endpoint.provider)
    taker = key_services().get(endpoint.provider)
    word = taker.word if taker else "API key"
    admins = " An admin can enter one in the admin, at the provider's endpoint." if taker is None or taker.is_shared else ""
    if endpoint.provider in owner.lost_providers:
        return f"The {word} for {label} was sent with the request only, and the answer had to go on without it. Send the request again."
    if not allowed:
        return f"There is no {word} for {label}.{admins or ' This organization does not let its members use their own.'}"
    if endpoint.provider in owner.request.sent_keys:
        return f"A key that is sent with a request goes to {label} itself, and this organization uses another address.{admins}"
    if has_own:
        return f"The address of {label} has changed since you entered your key. Enter it again in your settings under “API keys”."
    return f"There is no {word} for {label}. Enter yours in your settings under “API keys”.{admins}"


def _needs_key(provider: str) -> bool:
    taker = key_services().get(provider)
    return taker is not None and taker.needs_key


def _takes_key(provider: str) -> bool:
    taker = key_services().get(provider)
    return taker is not None and taker.takes_key


def _label(provider: str) -> str:
    taker = key_services().get(provider)
    return taker.label if taker else provider
