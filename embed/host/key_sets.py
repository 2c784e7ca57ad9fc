"""The public keys with which a host site's tokens are checked: a JSON Web Key Set (RFC 7517), entered by an admin or read at an address."""

from __future__ import annotations

import json
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.utils.translation import gettext

ALGORITHMS: Final = frozenset({"RS256", "ES256", "EdDSA"})
MAX_KEYS: Final = 10
MAX_PUBLISHED: Final = 50  # at an address
MAX_CHARS: Final = 20_000
MAX_NAME_CHARS: Final = 60  # of a key, as it is shown
MIN_RSA_BITS: Final = 2048
PRIVATE_MEMBERS: Final = frozenset({"d", "k"})


def key_set_read(text: str) -> list[dict[str, Any]]:
    """Return the keys that an admin entered; none for a blank text. Raises ValueError, which says what is wrong."""
    if not text.strip():
        return []
    keys = _keys_in(text)
    if keys is None:
        raise ValueError(gettext('Enter a key set as JSON: an object whose "keys" is a list of public keys.'))
    if len(keys) > MAX_KEYS:
        raise ValueError(gettext("A key set has at most %(max_keys)s keys.") % {"max_keys": MAX_KEYS})
    for key in keys:
        _check(key)
    ids = [key.get("kid") for key in keys]
    if len(ids) > len(set(map(str, ids))) or (len(ids) > 1 and None in ids):
        raise ValueError(gettext("Each key needs a kid of its own, so that a token can say which one it is signed with."))
    return keys


def key_set_sift(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the keys of a published set that can be used, and why the others can't. Raises ValueError when the text is no set.

    A host may also publish keys for other purposes. Of two keys with the same kid the first one counts.
    """
    keys = _keys_in(text)
    if keys is None:
        raise ValueError(gettext('The address gives no key set: JSON whose "keys" is a list of public keys.'))
    if len(keys) > MAX_PUBLISHED:
        raise ValueError(gettext("The address gives more than %(most)s keys.") % {"most": MAX_PUBLISHED})
    usable: list[dict[str, Any]] = []
    problems: list[str] = []
    for key in keys:
        try:
            _check(key)
        except ValueError as error:
            problems.append(str(error))
            continue
        if any(key.get("kid") == other.get("kid") for other in usable):
            problems.append(gettext("The key %(name)s is there twice: the first one counts.") % {"name": key_name(key)})
        else:
            usable.append(key)
    return usable, problems


def key_name(key: dict[str, Any]) -> str:
    return str(key.get("kid") or key.get("kty"))[:MAX_NAME_CHARS]


def key_names(keys: list[dict[str, Any]]) -> str:
    """Return the keys' names with their algorithms, for admins."""
    return ", ".join(f"{key_name(key)} ({jwt.PyJWK(key).algorithm_name})" for key in keys)


def signing_key(keys: list[dict[str, Any]], key_id: object) -> jwt.PyJWK | None:
    """Return the key with this id; without an id the only one. None: there is no such key."""
    matches = [key for key in keys if key_id is None or key.get("kid") == key_id]
    return jwt.PyJWK(matches[0]) if len(matches) == 1 else None


def _keys_in(text: str) -> list[dict[str, Any]] | None:
    """Return the keys of a set, unchecked. None: the text is none."""
    try:
        keys = json.loads(text)["keys"]
        # PostgreSQL stores neither NaN nor half of a surrogate pair, which fail here, nor NUL.
        if rb"\u0000" in json.dumps(keys, allow_nan=False, ensure_ascii=False).encode():
            return None
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return keys if isinstance(keys, list) and all(isinstance(key, dict) for key in keys) else None


def _check(key: dict[str, Any]) -> None:
    name = key_name(key)
    if PRIVATE_MEMBERS & key.keys():
        raise ValueError(
            gettext("The key %(name)s is a secret one. Enter public keys alone, and replace this one: it was shown.") % {"name": name}
        )
    try:
        jwk = jwt.PyJWK(key)
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError, LookupError):
        jwk = None
    if jwk is None or jwk.algorithm_name not in ALGORITHMS or key.get("use", "sig") != "sig":
        raise ValueError(gettext("The key %(name)s can't be used: it must be for RS256, ES256 or EdDSA.") % {"name": name})
    if isinstance(jwk.key, RSAPublicKey) and jwk.key.key_size < MIN_RSA_BITS:
        raise ValueError(
            gettext("The key %(name)s is too short: an RSA key has at least %(bits)s bits.") % {"name": name, "bits": MIN_RSA_BITS}
        )
