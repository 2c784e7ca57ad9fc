"""Redaction: removes what looks like a key from text that leaves the code (error texts, tool results, logs).

This is the last line of defence. Secrets are kept out of these texts in the first place (SecretText, typed errors).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from typing import Any

REDACTED = "[removed]"

# No pattern nests repetitions, so each takes linear time.
SECRET_PATTERNS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    re.compile(r"\bAIza[\w-]{20,}"),  # Google API key
    re.compile(r"\bAQ\.[\w-]{20,}"),  # Google API key, new form
    re.compile(r"\bya29\.[\w-]{10,}"),  # Google access token
    re.compile(r"\b[sprw]k[-_][\w-]{16,}"),  # OpenAI, Anthropic, Stripe
    re.compile(r"\bparley_\w{16,}"),  # our own API tokens
    re.compile(r"\bgh[a-z]_\w{16,}"),  # GitHub
    re.compile(r"\bgithub_pat_\w{16,}"),
    re.compile(r"\bglpat-[\w-]{16,}"),  # GitLab
    re.compile(r"\bhf_\w{16,}"),  # Hugging Face
    re.compile(r"\bxox[a-z]-[\w-]{10,}"),  # Slack
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),  # AWS key id
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),  # JSON web token
    re.compile(r"(?i)(?<=\bbearer )[\w.~+/=-]{8,}"),
    re.compile(r"(?i)(?<=\bbasic )[\w+/=-]{8,}"),
    re.compile(r"(?<=/invitation/)[\w=-]{20,}"),  # an invitation's link
    re.compile(r"(?<=/s/)[\w-]{43}"),  # a shared link
    re.compile(r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)"),  # user:password in a URL
)
SENSITIVE_NAMES = (
    "api[-_]?key|x-goog-api-key|authorization|(?:access|refresh|id|auth)[-_]?token|client[-_]?secret|secret|password|passwd|cookie"
)
NAMED_SECRET = re.compile(rf"(?i)\b({SENSITIVE_NAMES})(\"|')?(\s*[=:]\s*)(\"|')?(?!bearer |basic |\[removed\])[^\s\"'&,;}}]{{4,}}")
QUERY_KEY = re.compile(r"(?i)([?&](?:key|token|sig|signature)=)[^\s&#\"']+")
# What the log itself adds: times and random ids. And `exc_info`, a traceback object, whose text is in another field.
_OWN_FIELDS = frozenset({"exc_info", "time", "level", "logger", "request_id", "organization_id", "run_id", "trace_id", "span_id"})
SECRET_FIELD = re.compile(rf"(?i)(?:{SENSITIVE_NAMES})")


def redact(text: str) -> str:
    """Return `text` with everything that looks like a key, token, password or private key replaced by `[removed]`."""
    for pattern in SECRET_PATTERNS:
        text = pattern.sub(REDACTED, text)
    text = QUERY_KEY.sub(rf"\1{REDACTED}", text)
    return NAMED_SECRET.sub(rf"\1\2\3\4{REDACTED}", text)


def redact_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as JSON has them, each text in them redacted."""
    return {name: _redact_value(value) for name, value in values.items()}


def redact_processor(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """structlog processor that redacts events. Place it after the one that turns `exc_info` into text, and before the renderer."""
    for name, value in event.items():
        if name not in _OWN_FIELDS:
            event[name] = _redact_field(name, value)
    return event


def _redact_field(name: str, value: Any) -> Any:
    return REDACTED if value is not None and SECRET_FIELD.fullmatch(name) else _redact_value(value)


def _redact_value(value: Any) -> Any:
    match value:
        case str():
            return redact(value)
        case dict():
            return {key: _redact_field(str(key), inner) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_redact_value(inner) for inner in value]
        case None | bool() | int() | float():
            return value
        case _:
            return redact(str(value))
