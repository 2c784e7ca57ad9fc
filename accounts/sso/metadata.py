"""What a provider says about itself: its discovery document and its keys (OpenID Connect Discovery 1.0)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import jwt
from asgiref.sync import async_to_sync
from django.core.cache import cache
from django.utils.translation import gettext, gettext_lazy

from accounts.sso.errors import SignOnFailed
from security.egress import EgressRefused, FetchFailed, FetchResult, call

WELL_KNOWN = "/.well-known/openid-configuration"
TIMEOUT_S = 10.0
KEEP_S = 15 * 60
RELOAD_KEYS_AT_MOST_EVERY_S = 20  # tokens with invented key ids must not make us ask the provider each time
AWAY = gettext_lazy("Your organization's sign-on did not answer. Try again in a moment; an owner can sign in with a passkey meanwhile.")


@dataclass(frozen=True)
class Metadata:
    """The parts of a discovery document that are used."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    end_session_endpoint: str = ""
    userinfo_endpoint: str = ""
    takes_basic_auth_only: bool = False
    sends_issuer: bool = False  # adds `iss` to its answers (RFC 9207)


def issuer_of(address: str) -> str:
    """Return the issuer that an admin entered, also when they pasted the discovery document's address."""
    return address.strip().removesuffix(WELL_KNOWN)


def metadata_load(issuer: str, *, is_fresh: bool = False) -> Metadata:
    """Return what the provider says about itself, from the last quarter of an hour unless `is_fresh`. Raises SignOnFailed, EgressRefused."""
    metadata = None if is_fresh else cached_metadata(issuer)
    if metadata is None:
        metadata = _parse(issuer, request_json("GET", issuer.rstrip("/") + WELL_KNOWN))
        cache.set(_metadata_key(issuer), asdict(metadata), KEEP_S)
    return metadata


def cached_metadata(issuer: str) -> Metadata | None:
    """Return what the provider said within the last quarter of an hour, without asking it."""
    entry = cache.get(_metadata_key(issuer))
    return Metadata(**entry) if entry else None


def keys_count(metadata: Metadata, *, is_fresh: bool = False) -> int:
    """Return how many keys the provider publishes; 0 where they are not kept. `is_fresh` asks it. Raises SignOnFailed, EgressRefused."""
    return len(_keys(metadata, is_fresh=True) if is_fresh else cache.get(_keys_key(metadata)) or ())


def signing_key(metadata: Metadata, key_id: str | None) -> jwt.PyJWK:
    """Return the provider's key with this id; without an id its only one. Raises SignOnFailed.

    A key that is not known makes the set load again, because providers change their keys without notice.
    """
    key = _choose(_keys(metadata), key_id)
    if key is None and cache.add(f"sign-on:reload:{metadata.jwks_uri}", 1, RELOAD_KEYS_AT_MOST_EVERY_S):
        key = _choose(_keys(metadata, is_fresh=True), key_id)
    if key is None:
        raise SignOnFailed("unknown_key", gettext("The sign-on was signed with a key that the provider does not publish. Try again."))
    return key


def request_json(
    method: str, url: str, *, form: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Ask the provider and return its JSON object. Raises SignOnFailed, EgressRefused. Redirects are not followed."""
    answer = _request(method, url, form, headers or {})
    if answer.status != 200:
        raise SignOnFailed(
            "provider_refused",
            gettext("Your organization's sign-on refused the request (HTTP %(status)s). Ask an admin.") % {"status": answer.status},
        )
    try:
        body = json.loads(answer.content)
    except ValueError as error:
        raise SignOnFailed("provider_unreadable", str(AWAY)) from error
    if not isinstance(body, dict):
        raise SignOnFailed("provider_unreadable", str(AWAY))
    return body


def _request(method: str, url: str, form: Mapping[str, str] | None, headers: Mapping[str, str]) -> FetchResult:
    request_headers = {"accept": "application/json", **headers}
    content = None
    if form is not None:
        content = urlencode(form).encode()
        request_headers["content-type"] = "application/x-www-form-urlencoded"
    try:
        return async_to_sync(call)(method, url, content=content, headers=request_headers, timeout_s=TIMEOUT_S)
    except EgressRefused:
        raise
    except FetchFailed as error:
        raise SignOnFailed("provider_away", str(AWAY)) from error


def _parse(issuer: str, document: Mapping[str, Any]) -> Metadata:
    """Raises SignOnFailed unless the document speaks for exactly this issuer (Discovery 1.0, 4.3)."""
    if document.get("issuer") != issuer:
        raise SignOnFailed("wrong_issuer", gettext("The discovery document names another issuer than the address that was entered."))
    methods = document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    return Metadata(
        issuer=issuer,
        authorization_endpoint=_address(document, "authorization_endpoint", issuer),
        token_endpoint=_address(document, "token_endpoint", issuer),
        jwks_uri=_address(document, "jwks_uri", issuer),
        end_session_endpoint=_address(document, "end_session_endpoint", issuer, is_optional=True),
        userinfo_endpoint=_address(document, "userinfo_endpoint", issuer, is_optional=True),
        takes_basic_auth_only="client_secret_post" not in methods,
        sends_issuer=document.get("authorization_response_iss_parameter_supported") is True,
    )


def _address(document: Mapping[str, Any], name: str, issuer: str, *, is_optional: bool = False) -> str:
    """Return an address of the document: over https, as the issuer's (http is for issuers that the operator listed)."""
    value = document.get(name)
    if is_optional and not value:
        return ""
    if not isinstance(value, str) or urlsplit(value).scheme not in {"https", urlsplit(issuer).scheme} or len(value) > 500:
        raise SignOnFailed("provider_unreadable", gettext("The discovery document has no usable %(name)s.") % {"name": name})
    return value


def _keys(metadata: Metadata, *, is_fresh: bool = False) -> list[dict[str, Any]]:
    key = _keys_key(metadata)
    keys = None if is_fresh else cache.get(key)
    if keys is None:
        keys = request_json("GET", metadata.jwks_uri).get("keys")
        keys = [each for each in keys if isinstance(each, dict)] if isinstance(keys, list) else []
        cache.set(key, keys, KEEP_S)
    return list(keys)


def _metadata_key(issuer: str) -> str:
    return f"sign-on:metadata:{issuer}"


def _keys_key(metadata: Metadata) -> str:
    return f"sign-on:keys:{metadata.jwks_uri}"


def _choose(keys: list[dict[str, Any]], key_id: str | None) -> jwt.PyJWK | None:
    fitting = [key for key in keys if key.get("use", "sig") == "sig" and (key_id is None or key.get("kid") == key_id)]
    if not fitting or (key_id is None and len(fitting) > 1):
        return None
    try:
        return jwt.PyJWK(fitting[0])
    except jwt.PyJWTError as error:
        raise SignOnFailed("unknown_key", gettext("The provider's key can't be used.")) from error
