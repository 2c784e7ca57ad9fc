"""Checks of what stands in front of the web processes: doctor asks its own public address, and a web process says what arrived.

The request says itself that somebody else sent it, as an attacker's would.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
from django.conf import settings

from config.doctor.findings import Finding, error, ok, warning
from config.pages.proxy_check import HEADER, check_token

FORGED: Final = "203.0.113.7"  # an address of RFC 5737, which nobody has
TIMEOUT_S: Final = 5.0
SAMPLES: Final = "as in deploy/nginx.conf"


def proxy_findings() -> Iterator[Finding]:
    """Nothing is asked where people come in on this machine without TLS, or where they should not come in like that (`environment_findings`)."""
    if urlsplit(settings.PUBLIC_URL).scheme == "http":
        return
    try:
        response = _ask()
    except httpx2.HTTPError as problem:
        yield warning(
            "proxy",
            f"{settings.PUBLIC_URL} could not be asked from here: {type(problem).__name__}.",
            "Start a web process, look at the proxy and its certificate, or run this where the address can be reached.",
        )
        return
    if response.status_code != 200:
        yield error("proxy", *_answer_problem(response.status_code))
        return
    try:
        report = response.json()
    except ValueError:  # a page
        yield error("proxy", *_SOMETHING_ELSE)
        return
    yield from seen_findings(report)


def _ask() -> httpx2.Response:
    headers = {HEADER: check_token(), "X-Forwarded-For": FORGED, "X-Forwarded-Proto": "http"}
    ssl_context = ssl.create_default_context()
    return httpx2.get(f"{settings.PUBLIC_URL}/proxy-check", headers=headers, timeout=TIMEOUT_S, trust_env=False, verify=ssl_context)


def _answer_problem(status: int) -> tuple[str, str]:
    match status:
        case 400:
            return "Another Host than PUBLIC_URL's arrives.", f"Let the proxy pass on the Host that it got, {SAMPLES}."
        case 404:
            return _SOMETHING_ELSE
        case 301 | 302 | 307 | 308:
            return _NOT_SECURE
        case 502 | 503 | 504:
            return f"The proxy answers {status}: it reaches no web process.", "Start one, or correct the proxy's upstream."
        case _:
            return f"PUBLIC_URL answers {status}.", "Look at the proxy's log."


_SOMETHING_ELSE: Final = (
    "Something else answers at PUBLIC_URL, or a process with another SECRET_KEY.",
    "Look at the proxy's upstream, and give all processes the same environment.",
)
_NOT_SECURE: Final = (
    "X-Forwarded-Proto: https does not arrive, so web processes take requests for unencrypted ones.",
    f"Let the proxy set X-Forwarded-Proto to the scheme that it got, {SAMPLES}.",
)


def seen_findings(report: dict[str, Any]) -> Iterator[Finding]:
    """Judge what a web process says that it saw."""
    client, addresses = report["client"], [part.strip() for part in report["forwarded_for"].split(",") if part.strip()]
    problems = [error("proxy", *_NOT_SECURE)] if not report["is_secure"] else []
    if client == FORGED:
        advice = f"Let the proxy set X-Forwarded-For to the address that it sees, {SAMPLES}, and name nothing but the proxy in FORWARDED_ALLOW_IPS."
        problems.append(error("proxy", "Whoever asks can choose the address that Parley takes for theirs.", advice))
    elif not addresses:
        problems.append(
            warning("proxy", f"No X-Forwarded-For arrives: everybody has the address {client}.", f"Let the proxy set it, {SAMPLES}.")
        )
    elif client not in addresses:
        problems.append(
            warning(
                "proxy", f"X-Forwarded-For is not believed: everybody has the address {client}.", f"Name {client} in FORWARDED_ALLOW_IPS."
            )
        )
    elif FORGED in addresses:
        problems.append(
            warning(
                "proxy", "The proxy passes on the X-Forwarded-For that clients send, and adds to it.", f"Let it set its own, {SAMPLES}."
            )
        )
    yield from problems
    if not problems:
        yield ok("proxy", f"It passes on scheme, host and address: this machine is {client}.")
