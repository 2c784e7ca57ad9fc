"""The way to the provider and back: authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636, RFC 9207).

What is needed to recognize the provider's answer is kept in the browser's session, under a state that works once and for one organization.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy

from accounts.models import SignOn
from accounts.sso.claim_rules import claim_values
from accounts.sso.errors import SignOnFailed
from accounts.sso.metadata import Metadata, metadata_load, request_json
from accounts.sso.presets import PRESETS
from accounts.sso.tokens import fresh_sign_in_check, id_token_check
from security.secrets.services import secret_reveal
from tenants.authentication.session_proof import RECENT_S, is_by_sign_on
from tenants.context import tenant_tx

STATES = "accounts.sign_on_states"  # in the session
MAX_STATES = 5  # sign-ins that are under way in one browser; the oldest is forgotten
STATE_LIFE_S = 10 * 60
OUTDATED = gettext_lazy("This sign-in was already used, took too long, or was begun in another browser. Start again.")


@dataclass(frozen=True)
class Answer:
    """A provider's answer about a person, after all checks."""

    claims: dict[str, Any]
    id_token: str
    next_url: str
    is_test: bool
    metadata: Metadata


def callback_url(organization_id: UUID) -> str:
    """Return the address to which the provider sends people back: one for each organization, so that answers can't be mixed up (RFC 9700)."""
    return f"{settings.PUBLIC_URL}/sso/{organization_id}/callback/"  # the admin site, which shows it, has URLs of its own


def logout_url(organization_id: UUID) -> str:
    return f"{settings.PUBLIC_URL}/sso/{organization_id}/logout/"


def handshake_begin(
    request: HttpRequest, sign_on: SignOn, *, next_url: str = "", login_hint: str = "", is_test: bool = False, is_fresh: bool = False
) -> str:
    """Return the provider's address to send the browser to. `is_fresh`: the person is to sign in anew there. Raises SignOnFailed, EgressRefused."""
    organization_id = organization_of(sign_on)
    metadata = metadata_load(sign_on.issuer)
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    handshake = {
        "organization": str(organization_id),
        "nonce": nonce,
        "verifier": verifier,
        "at": time.time(),
        "next": next_url,
        "test": is_test,
        # Who comes by another way, as into an organization that asks for its sign-on, gets in, and proves only what the provider says.
        "fresh": is_fresh and is_by_sign_on(request.session, organization_id),
    }
    states = [*request.session.get(STATES, {}).items()][-(MAX_STATES - 1) :]
    request.session[STATES] = {**dict(states), state: handshake}
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code",
        "client_id": sign_on.client_id,
        "redirect_uri": callback_url(organization_id),
        "scope": PRESETS[sign_on.provider].scope,
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        **({"login_hint": login_hint} if login_hint else {}),
        **({"prompt": "login", "max_age": str(RECENT_S)} if is_test or is_fresh else {}),  # with max_age the token must have auth_time
    }
    return _with_query(metadata.authorization_endpoint, query)


def state_take(request: HttpRequest, organization_id: UUID) -> dict[str, Any]:
    """Return what is known of the sign-in that this answer belongs to, and forget it. Raises SignOnFailed."""
    states = request.session.get(STATES, {})
    handshake = states.pop(request.GET.get("state", ""), None)
    request.session[STATES] = states
    if handshake is None or handshake["organization"] != str(organization_id) or time.time() - handshake["at"] > STATE_LIFE_S:
        raise SignOnFailed("wrong_state", str(OUTDATED))
    return dict(handshake)


def handshake_finish(request: HttpRequest, sign_on: SignOn, state: dict[str, Any]) -> Answer:
    """Return the checked answer of the provider. Raises SignOnFailed, EgressRefused. Asks the provider, so no transaction may be open."""
    metadata = metadata_load(sign_on.issuer)
    issuer = request.GET.get("iss")
    if issuer != sign_on.issuer and (issuer is not None or metadata.sends_issuer):
        raise SignOnFailed("wrong_issuer", gettext("The answer comes from another provider than your organization's."))
    if request.GET.get("error"):
        is_cancelled = request.GET["error"] == "access_denied"
        message = (
            gettext("The sign-in was cancelled.")
            if is_cancelled
            else gettext("Your organization's sign-on reported an error. Ask an admin.")
        )
        raise SignOnFailed("cancelled" if is_cancelled else "provider_refused", message)
    id_token, access_token = _exchange(sign_on, metadata, request.GET.get("code", ""), state["verifier"])
    claims = id_token_check(id_token, metadata=metadata, client_id=sign_on.client_id, nonce=state["nonce"])
    if state.get("fresh"):
        fresh_sign_in_check(claims, since=state["at"])
    if _lacks(claims, sign_on) and access_token and metadata.userinfo_endpoint:
        claims = {**_user_info(metadata, access_token, claims["sub"]), **claims}
    return Answer(claims, id_token, str(state["next"]), bool(state["test"]), metadata)


def leave_to(request: HttpRequest, address: str, name: str) -> HttpResponse:
    """Send the browser to the provider. Not by a redirect: after a form's POST our policy `form-action 'self'` would stop it there."""
    return render(request, "accounts/leave_to.html", {"address": address, "name": name})


def organization_of(sign_on: SignOn) -> UUID:
    assert sign_on.organization_id is not None  # the type stubs treat a column with a default as nullable
    return sign_on.organization_id


def _lacks(claims: dict[str, Any], sign_on: SignOn) -> bool:
    """Okta's ID tokens leave groups out when an access token comes along, as Core 1.0, 5.4 allows."""
    return "email" not in claims or bool(sign_on.rules and not claim_values(claims, sign_on.groups_claim))


def _user_info(metadata: Metadata, access_token: str, subject: str) -> dict[str, Any]:
    """Return what the provider says of the person besides the ID token. Raises SignOnFailed, EgressRefused."""
    user_info = request_json("GET", metadata.userinfo_endpoint, headers={"authorization": f"Bearer {access_token}"})
    if user_info.get("sub") != subject:  # Core 1.0, 5.3.2
        raise SignOnFailed("wrong_subject", gettext("The provider's answers are about two different people. Try again."))
    return user_info


def _exchange(sign_on: SignOn, metadata: Metadata, code: str, verifier: str) -> tuple[str, str]:
    """Return the ID token and the access token for the code, straight from the provider."""
    organization_id = organization_of(sign_on)
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": callback_url(organization_id),
        "code_verifier": verifier,
    }
    headers = {}
    secret = _secret(sign_on)
    if secret and metadata.takes_basic_auth_only:
        pair = f"{quote(sign_on.client_id, safe='')}:{quote(secret, safe='')}"  # RFC 6749, 2.3.1
        headers["authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    else:
        form |= {"client_id": sign_on.client_id, **({"client_secret": secret} if secret else {})}
    token_response = request_json("POST", metadata.token_endpoint, form=form, headers=headers)
    if not isinstance(token_response.get("id_token"), str):
        raise SignOnFailed("no_token", gettext("The provider sent no ID token. Ask an admin to allow the scope openid."))
    return token_response["id_token"], str(token_response.get("access_token") or "")


def _secret(sign_on: SignOn) -> str:
    if sign_on.secret_id is None:
        return ""
    with tenant_tx(organization_of(sign_on)):
        return secret_reveal(secret_id=sign_on.secret_id, url=sign_on.issuer).reveal()


def _with_query(address: str, query: dict[str, str]) -> str:
    return f"{address}{'&' if urlsplit(address).query else '?'}{urlencode(query)}"
