"""Checks of what a provider signs: ID tokens (OpenID Connect Core 1.0, 3.1.3.7) and logout tokens (Back-Channel Logout 1.0, 2.6)."""

from __future__ import annotations

import hmac
import time
from typing import Any

import jwt
from django.core.cache import cache
from django.utils.translation import gettext

from accounts.sso.errors import SignOnFailed
from accounts.sso.metadata import Metadata, signing_key

# Never those with a shared secret: whoever knows the client's secret could sign for the provider. Never "none".
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
CLOCK_SKEW_S = 120
MAX_TOKEN_CHARS = 32_000
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
MAX_LOGOUT_AGE_S = 10 * 60


def id_token_check(text: str, *, metadata: Metadata, client_id: str, nonce: str) -> dict[str, Any]:
    """Return the claims of an ID token that the provider made for this client and this sign-in. Raises SignOnFailed."""
    claims = _decode(text, metadata, client_id, required_claims=["iss", "aud", "exp", "iat", "sub"])
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if (len(audiences) > 1 or "azp" in claims) and claims.get("azp") != client_id:
        raise SignOnFailed("wrong_audience", gettext("The sign-on was made for another application."))
    if not isinstance(claims.get("nonce"), str) or not hmac.compare_digest(claims["nonce"].encode(), nonce.encode()):
        raise SignOnFailed("wrong_nonce", gettext("The sign-on belongs to another attempt. Start again."))
    return claims


def signed_in_at(claims: dict[str, Any]) -> float | None:
    """Return when the person last signed in at the provider (Core 1.0, 2: `auth_time`); None if it does not say."""
    auth_time = claims.get("auth_time")
    if isinstance(auth_time, bool) or not isinstance(auth_time, int | float):
        return None
    return min(float(auth_time), time.time())  # its clock may be a little ahead


def fresh_sign_in_check(claims: dict[str, Any], *, since: float) -> None:
    """Raise SignOnFailed unless the person has signed in at the provider since then. The browser can take `prompt=login` out of the request."""
    at = signed_in_at(claims)
    if at is None:
        raise SignOnFailed(
            "no_auth_time",
            gettext("Your organization's sign-on does not say when you signed in there, so it can't confirm that it's you. A passkey can."),
        )
    if at < since - CLOCK_SKEW_S:
        raise SignOnFailed(
            "old_auth_time",
            gettext("Your organization's sign-on did not ask you to sign in again, so it does not confirm that it's you. A passkey can."),
        )


def logout_token_check(text: str, *, metadata: Metadata, client_id: str) -> dict[str, Any]:
    """Return the claims of a logout token, each of which works once. Raises SignOnFailed."""
    claims = _decode(text, metadata, client_id, required_claims=["iss", "aud", "iat", "jti", "events"])
    events = claims["events"]
    if not isinstance(events, dict) or not isinstance(events.get(LOGOUT_EVENT), dict) or "nonce" in claims:
        raise SignOnFailed("no_logout_token", gettext("This is not a logout token."))
    if not any(isinstance(claims.get(name), str) and claims[name] for name in ("sub", "sid")):
        raise SignOnFailed("no_logout_token", gettext("The logout token names nobody."))
    if time.time() - claims["iat"] > MAX_LOGOUT_AGE_S:
        raise SignOnFailed("expired", gettext("The logout token is too old."))
    if not cache.add(f"sign-on:jti:{metadata.issuer}:{str(claims['jti'])[:200]}", 1, MAX_LOGOUT_AGE_S + 2 * CLOCK_SKEW_S):
        raise SignOnFailed("replayed", gettext("The logout token was used before."))
    return claims


def _decode(text: str, metadata: Metadata, client_id: str, *, required_claims: list[str]) -> dict[str, Any]:
    if len(text) > MAX_TOKEN_CHARS:
        raise SignOnFailed("unreadable_token", gettext("The provider's answer can't be read."))
    try:
        header = jwt.get_unverified_header(text)
        if header.get("alg") not in ALGORITHMS:
            raise SignOnFailed("wrong_algorithm", gettext("The provider signs in a way that is not accepted. Ask an admin."))
        key = signing_key(metadata, header.get("kid"))
        claims: dict[str, Any] = jwt.decode(
            text,
            key,
            algorithms=ALGORITHMS,
            issuer=metadata.issuer,
            audience=client_id,
            leeway=CLOCK_SKEW_S,
            options={"require": required_claims, "verify_iat": True},
        )
    except jwt.InvalidIssuerError as error:
        raise SignOnFailed("wrong_issuer", gettext("The sign-on comes from another provider than your organization's.")) from error
    except jwt.InvalidAudienceError as error:
        raise SignOnFailed("wrong_audience", gettext("The sign-on was made for another application.")) from error
    except (jwt.ExpiredSignatureError, jwt.ImmatureSignatureError) as error:
        raise SignOnFailed(
            "clock", gettext("The sign-on has expired, or a clock is wrong. Try again; if it stays, ask an admin.")
        ) from error
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise SignOnFailed("invalid_token", gettext("The provider's answer is not valid. Try again.")) from error
    return claims
