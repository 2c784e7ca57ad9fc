"""Checks of additional fields of a provider's request, a JSON object that admins write by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson
from django.utils.translation import gettext

from security.redaction import SENSITIVE_NAMES, redact
from tenants.input.plain_values import NotPlain, is_deeper, plain_check
from tenants.localization.figures import figure

MAX_EXTRA_BYTES = 8_192
MAX_DEPTH = 8

# Fields that the adapters set themselves, in the spelling of any of the four APIs (see _normalized_name).
RESERVED = frozenset(
    [
        "messages",
        "continuationtoken",
        "n",
        "input",
        "contents",
        "model",
        "system",
        "systeminstruction",
        "instructions",
        "prompt",
        "tools",
        "toolconfig",
        "toolchoice",
        "functions",
        "functioncall",
        "parallelfunctioncalls",
        "stream",
        "streamoptions",
        "store",
        "include",
        "previousresponseid",
        "conversation",
        "background",
        "cachedcontent",
        "container",
        "extraheaders",
        "extraquery",
        "extrabody",
        "httpoptions",
        "automaticfunctioncalling",
    ]
)
_SECRET = re.compile(rf"(?i)(?:{SENSITIVE_NAMES}|.*(?:secret|password|credential|private_?key).*|x?[-_]?(?:api|auth)[-_]?(?:key|token))")


def extra_field_problems(value: Any) -> list[str]:
    """Return sentences about what prevents `value` from going into a request; empty if nothing does."""
    if not isinstance(value, dict):
        return [gettext('A JSON object is needed, such as {"service_tier": "flex"}.')]
    if is_deeper(value, MAX_DEPTH):
        return [gettext("At most %(max_depth)s objects or lists inside each other.") % {"max_depth": MAX_DEPTH}]
    try:
        plain_check(value, gettext("Additional fields"))
    except NotPlain as error:
        return [str(error)]
    if len(orjson.dumps(value)) > MAX_EXTRA_BYTES:
        return [gettext("At most %(max_extra_bytes)s bytes of JSON.") % {"max_extra_bytes": figure(MAX_EXTRA_BYTES)}]
    reserved_names = sorted(name for name in value if _normalized_name(name) in RESERVED)
    problems = [gettext("Parley sets %(taken)s itself.") % {"taken": ", ".join(reserved_names)}] if reserved_names else []
    secret = sorted(
        {name for name, inner in _members(value) if _SECRET.fullmatch(name) or (isinstance(inner, str) and redact(inner) != inner)}
    )
    if secret:
        problems.append(
            gettext("%(secret)s: keys and passwords don't belong here. Enter them at the endpoint.") % {"secret": ", ".join(secret)}
        )
    return problems


def _normalized_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield all members of all nested objects; items of a list come under the list's name."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name, inner
            yield from ((name, item) for item in inner) if isinstance(inner, list) else ()
            yield from _members(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _members(inner)
