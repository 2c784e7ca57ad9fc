"""The tokens with which a host site signs its visitors in: JSON Web Tokens (RFC 7519), signed with the embed's secret (HS256), or with a private key
whose public one an admin entered or the host publishes (`key_sets`, `fetched_keys`).

Each is for one embed (`aud` is its key), lives ten minutes at most and works once.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import Any, Final

import jwt
from django.core.cache import cache
from django.utils.translation import gettext, gettext_lazy

from embed.host.fetched_keys import published_key
from embed.host.key_sets import signing_key
from embed.models import MAX_SUBJECT_CHARS, EmbedSite
from security.secrets.secret_text import SecretText
from tenants.errors import NotSignedIn
from tenants.input.visible_text import visible_line
from tenants.redis.clients import unavailable_without_redis

ALGORITHM: Final = "HS256"
MAX_LIFE_S: Final = 600
CLOCK_SKEW_S: Final = 30
MAX_CHARS: Final = 4096
MAX_NAME_CHARS: Final = 80


class HostTokenRefused(NotSignedIn):
    """The page asks its own server for another token."""

    code = "host_token_refused"
    message = gettext_lazy("The page's token is not valid.")


@dataclass(frozen=True, slots=True)
class HostClaims:
    """Whom the host site signed in."""

    subject: str
    name: str


def host_token_check(text: str, *, secret: SecretText, site: EmbedSite, audience: str) -> HostClaims:
    """Return whom the token names, and use it up. May ask the address of the site's keys, so it runs outside of transactions.

    Raises HostTokenRefused, KeysUnavailable, and Unavailable while nobody can say whether the token was used.
    """
    claims = _decode(text, secret, site, audience)
    subject, name = claims["sub"], claims.get("name", "")
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT_CHARS or not _is_storable(subject):
        raise HostTokenRefused(gettext("The page's token has no usable `sub`."))
    if int(claims["exp"]) - time.time() > MAX_LIFE_S + CLOCK_SKEW_S:
        raise HostTokenRefused(gettext("The page's token lives longer than ten minutes."))
    _use_up(text)
    return HostClaims(subject, visible_line(name)[:MAX_NAME_CHARS] if isinstance(name, str) else "")


def _is_storable(text: str) -> bool:
    """PostgreSQL has neither NUL nor half of a surrogate pair, which JavaScript makes when it cuts a name."""
    return not any(letter == "\x00" or "\ud800" <= letter <= "\udfff" for letter in text)


def host_token_new(*, secret: SecretText, audience: str, subject: str, name: str) -> str:
    """Return such a token, as a host site's server makes it. For the admins' preview."""
    claims = {"sub": subject, "name": name, "aud": audience, "exp": int(time.time()) + MAX_LIFE_S}
    return jwt.encode(claims, secret.reveal(), algorithm=ALGORITHM)


def _decode(text: str, secret: SecretText, site: EmbedSite, audience: str) -> dict[str, Any]:
    if len(text) > MAX_CHARS:
        raise HostTokenRefused
    options: Any = {"require": ["sub", "aud", "exp"], "strict_aud": True}
    try:
        key, algorithm = _key(text, secret, site)
        claims: dict[str, Any] = jwt.decode(text, key, algorithms=[algorithm], audience=audience, leeway=CLOCK_SKEW_S, options=options)
    except jwt.ExpiredSignatureError:
        raise HostTokenRefused(gettext("The page's token has expired.")) from None
    except jwt.InvalidAudienceError:
        raise HostTokenRefused(gettext("The page's token is for another chat: its `aud` is not this chat's key.")) from None
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, LookupError):
        raise HostTokenRefused from None
    return claims


def _key(text: str, secret: SecretText, site: EmbedSite) -> tuple[Any, str]:
    """Return the key to check the token with, and its only algorithm: the secret's and each public key's are fixed, so no token chooses.

    Raises HostTokenRefused, KeysUnavailable, PyJWTError.
    """
    header = jwt.get_unverified_header(text)
    if header["alg"] == ALGORITHM:
        return secret.reveal(), ALGORITHM
    key = published_key(site, header.get("kid")) if site.key_set_url else signing_key(site.key_set, header.get("kid"))
    if key is None:
        raise HostTokenRefused(gettext("The page's token is signed with a key that is not in this chat's key set."))
    return key.key, str(key.algorithm_name)


def _use_up(text: str) -> None:
    """Remember the token by what it says and not by its text: a signature can be written in several ways."""
    signed_part = text.rpartition(".")[0]
    place = f"embed:host-token:{hashlib.sha256(signed_part.encode()).hexdigest()}"
    with unavailable_without_redis():
        is_new = cache.add(place, 1, MAX_LIFE_S + 3 * CLOCK_SKEW_S)
    if not is_new:
        raise HostTokenRefused(gettext("The page's token was used before. Each works once."))
