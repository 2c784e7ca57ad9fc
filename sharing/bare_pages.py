"""Pages for readers of links: HTML without a script, a cookie or a trace of who looks."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpResponse
from django.template import loader

_POLICY: Final = "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action {form_action}; frame-ancestors 'none'"
HEADERS: Final = {
    "Content-Security-Policy": _POLICY.format(form_action="'none'"),
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",  # the address is the secret
    "X-Robots-Tag": "noindex, nofollow, noarchive, nosnippet",
}
LISTED: Final = {"X-Robots-Tag": "all"}
WITH_FORM: Final = {"Content-Security-Policy": _POLICY.format(form_action="'self'")}


def bare_page(template: str, context: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    """Return the page. Without the request, whose context would open the session."""
    return HttpResponse(loader.get_template(template).render(context), status=status, headers={**HEADERS, **(headers or {})})


def busy_page(wait_s: int) -> HttpResponse:
    return bare_page("sharing/busy.html", {"wait_s": wait_s}, 429, {"Retry-After": str(wait_s)})


def gone_page() -> HttpResponse:
    return bare_page("sharing/gone.html", {}, 404)
