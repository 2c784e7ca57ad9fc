"""The request of an HTTP tool: built from a call, shown without secrets, sent, and reduced to the configured result."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from agents.errors import ToolFailed
from agents.tools.http.settings import HttpSettings
from agents.tools.http.templates import fill_json, fill_url, query_pairs, select_fields, value_at_path
from security.egress import EgressRefused, FetchFailed, FetchResult, call, words_for_model
from security.known_secrets import EchoFilter
from security.redaction import redact
from security.secrets.secret_text import SecretText
from tenants.json_encoding import json_bytes

MAX_ERROR_CHARS = 1000  # of the body of an error response
NOT_JSON: Final = object()


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What is sent, except the secret."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: Any = None  # a JSON value; None: no body

    def preview(self) -> str:
        """Return the request as it is sent, for people."""
        lines = [f"{self.method} {self.url}", *(f"{name}: {value}" for name, value in self.headers.items())]
        return "\n".join(lines) + ("" if self.body is None else f"\n\n{json.dumps(self.body, ensure_ascii=False, indent=2)}")


def request_of(settings: HttpSettings, arguments: Mapping[str, Any]) -> HttpRequest:
    """Return the request for a call. Raises ToolFailed when an argument is missing or not allowed at its place."""
    try:
        url = fill_url(settings.url, arguments)
        pairs = query_pairs(fill_json(settings.query, arguments))
        body = fill_json(settings.body, arguments) if settings.body else None
    except ValueError as error:
        raise ToolFailed(str(error)) from error
    if pairs:
        url = f"{url}{'&' if '?' in url else '?'}{urlencode(pairs)}"
    json_type = {"content-type": "application/json"} if body is not None else {}
    return HttpRequest(settings.method, url, {"accept": "application/json", **json_type, **settings.headers}, body)


def with_secret(request: HttpRequest, settings: HttpSettings, secret: SecretText | None) -> HttpRequest:
    """Return the request with the secret in its header, if the settings name one."""
    if secret is None or not settings.secret_header:
        return request
    value = f"{settings.secret_prefix.strip()} {secret.reveal()}".strip()
    return replace(request, headers={**request.headers, settings.secret_header: value})


def secret_redactor(secret: SecretText | None, mask: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that removes secrets from an answer: a server may send back what it received."""
    own = EchoFilter.removing(secret.reveal() if secret else "")
    return lambda text: mask(own.hide(text))


async def send_http_request(request: HttpRequest, settings: HttpSettings, *, redact_secrets: Callable[[str], str]) -> Any:
    """Send the request and return the configured part of the answer, a JSON value without secrets.

    Raises ToolFailed with a message for the model.
    """
    content = None if request.body is None else json_bytes(request.body)
    try:
        answer = await call(request.method, request.url, content=content, headers=request.headers, timeout_s=settings.timeout_s)
    except (EgressRefused, FetchFailed) as error:
        raise ToolFailed(words_for_model(error, "The server could not be reached.")) from error
    if not 200 <= answer.status < 300:
        raise ToolFailed(_refusal(answer, redact_secrets))
    return _extract_result(answer, settings, redact_secrets)


def _refusal(answer: FetchResult, redact_secrets: Callable[[str], str]) -> str:
    if 300 <= answer.status < 400:
        return f"The server answered {answer.status}: it sends callers to another address, which is not followed."
    text = redact(_redacted_answer(answer, redact_secrets)[0][:MAX_ERROR_CHARS])
    return f"The server answered {answer.status}{f': {text}' if text else '.'}"


def _extract_result(answer: FetchResult, settings: HttpSettings, redact_secrets: Callable[[str], str]) -> Any:
    text, value = _redacted_answer(answer, redact_secrets)
    if value is NOT_JSON:
        if settings.result_path or settings.result_fields:
            raise ToolFailed("The server's answer is no JSON, so that its part can't be taken.")
        return _truncate(redact(text), settings.result_limit)
    try:
        value = select_fields(value_at_path(value, settings.result_path), settings.result_fields)
    except LookupError as error:
        raise ToolFailed(str(error.args[0])) from error
    words = json.dumps(value, ensure_ascii=False)
    clean = redact(words)
    if len(clean) > settings.result_limit:
        return _truncate(clean, settings.result_limit)
    return value if clean == words else _json_or_text(clean)


def _redacted_answer(answer: FetchResult, redact_secrets: Callable[[str], str]) -> tuple[str, Any]:
    """Return the answer without secrets, as text and as a JSON value or NOT_JSON.

    Both are cleaned, because JSON can escape a secret's characters.
    """
    text = redact_secrets(answer.content.decode("utf-8", errors="replace"))
    try:
        value = orjson.loads(text) if text else None
        clean = _redact(value, redact_secrets)
    except orjson.JSONDecodeError:
        return text, NOT_JSON
    except RecursionError as error:
        raise ToolFailed("The server's answer is too deeply nested.") from error
    return text if clean == value else json.dumps(clean, ensure_ascii=False), clean


def _redact(value: Any, redact_secrets: Callable[[str], str]) -> Any:
    match value:
        case str():
            return redact_secrets(value)
        case list():
            return [_redact(item, redact_secrets) for item in value]
        case dict():
            return {redact_secrets(key): _redact(item, redact_secrets) for key, item in value.items()}
        case _:
            return value


def _json_or_text(text: str) -> Any:
    """Parse the text; redaction may have made it invalid JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _truncate(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\n[cut: {len(text):,} characters, the first {limit:,} are shown]"
