"""Middleware for Content Security Policy, caching and other security headers (SECURITY 16; docs/decisions/0002 for the admin's policy).

Templates read the nonce from `request.csp_nonce`. A response that already has a policy (the sandboxed frames) keeps it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

POLICY_HEADER = "Content-Security-Policy"
ADMIN_PATH = re.compile(r"^/(?:operator|o/[^/]+/admin)/")

# The admin has no trusted types, because jQuery in Django's admin assigns innerHTML. The rest of the policy is the same.
ADMIN_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:{files}; "
    "font-src 'self'; connect-src 'self'{files}; frame-src 'self'; worker-src 'self'; media-src 'self' blob:; form-action 'self'; "
    "base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
)
PAGE_POLICY = f"{ADMIN_POLICY}; require-trusted-types-for 'script'; trusted-types app"
DENY_ALL_POLICY = "default-src 'none'; frame-ancestors 'none'"

PERMISSIONS = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone={microphone}, midi=(), "
    "payment=(), usb=()"
)
PERMISSIONS_WITH_MICROPHONE = PERMISSIONS.format(microphone="(self)")  # for our own pages alone, not for frames in them

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer": browsers would then send "Origin: null" with forms, which the CSRF check refuses.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": PERMISSIONS.format(microphone="()"),
}

GetResponse = Callable[[HttpRequest], HttpResponseBase]
AsyncGetResponse = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


class ContentSecurityPolicyMiddleware:
    """Give each request a nonce, and each response its policy and headers."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: GetResponse | AsyncGetResponse) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        request.csp_nonce = secrets.token_urlsafe(16)  # type: ignore[attr-defined]
        response = self._get_response(request)
        if isinstance(response, HttpResponseBase):
            return set_headers(request, response)
        return _set_headers_async(request, response)


async def _set_headers_async(request: HttpRequest, response: Awaitable[HttpResponseBase]) -> HttpResponseBase:
    return set_headers(request, await response)


def set_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Add the headers that `response` does not set itself, and return it."""
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)
    content_type = response.headers.get("Content-Type", "")
    is_file = request.path_info.startswith(settings.STATIC_URL)
    # A policy on a script file would apply to the worker that runs it. An HTML page under the static URL is an error page.
    if POLICY_HEADER not in response.headers and (_is_page(content_type) or not is_file):
        response.headers[POLICY_HEADER] = policy_for(request, content_type)
        response.headers.setdefault("X-Frame-Options", "DENY")
    if not is_file and _has_session(request, response):
        response.headers.setdefault("Cache-Control", "private, no-store")
    return response


def _is_page(content_type: str) -> bool:
    return content_type.startswith("text/html")


def _has_session(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Decide by the cookie: loading the user would cost every response a query."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES or settings.SESSION_COOKIE_NAME in response.cookies


def policy_for(request: HttpRequest, content_type: str) -> str:
    """Return the policy of a response: pages may load our own files, everything else may load nothing."""
    if not _is_page(content_type):
        return DENY_ALL_POLICY
    policy = ADMIN_POLICY if ADMIN_PATH.match(request.path_info) else PAGE_POLICY
    files = f" {settings.FILES_URL}" if settings.FILES_URL else ""
    return policy.format(nonce=request.csp_nonce, files=files)  # type: ignore[attr-defined]
