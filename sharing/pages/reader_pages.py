"""Headers and frame of the pages for readers of links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpResponse
from django.template import loader

_POLICY: Final = "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action {form_action}; frame-ancestors {ancestors}"
_NOBODY: Final = "'none'"
HEADERS: Final = {
    "Content-Security-Policy": _POLICY.format(form_action=_NOBODY, ancestors=_NOBODY),
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",  # the address is the secret
    "X-Robots-Tag": "noindex, nofollow, noarchive, nosnippet",
}
LISTING_HEADERS: Final = {"X-Robots-Tag": "all"}
WITH_FORM: Final = {"Content-Security-Policy": _POLICY.format(form_action="'self'", ancestors=_NOBODY)}


def framed_by(origins: Sequence[str]) -> dict[str, str]:
    """Return the headers of a page that pages of these origins may show in a frame."""
    return {"Content-Security-Policy": _POLICY.format(form_action=_NOBODY, ancestors=" ".join(origins))}


def reader_page(template: str, context: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    """Return the page. Without the request, whose context would open the session."""
    return HttpResponse(loader.get_template(template).render(context), status=status, headers={**HEADERS, **(headers or {})})


def busy_page(wait_s: int) -> HttpResponse:
    return reader_page("sharing/busy.html", {"wait_s": wait_s}, 429, {"Retry-After": str(wait_s)})


def gone_page() -> HttpResponse:
    return reader_page("sharing/gone.html", {}, 404)
