"""The page of a link, at `/s/<token>/`: server-made HTML without a script, a cookie or a trace of who looks."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views.decorators.http import require_safe

from sharing.content import SharedContent, shared_content
from sharing.models import Share
from sharing.rate import wait_of_network
from sharing.selectors import share_find
from sharing.services import share_count_view
from tenants.context import tenant_tx
from tenants.errors import NotAllowed, NotFound, NotSignedIn, SecondFactorNeeded, SignOnNeeded
from tenants.rest.http import redirect_to_proof, request_actor

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",  # the address is the secret
    "X-Robots-Tag": "noindex, nofollow, noarchive, nosnippet",
}


@require_safe
def shared_page(request: HttpRequest, token: str) -> HttpResponse:
    """Show what the link shows. A link for members asks for signing in, and looks like an unknown one to other people."""
    if wait_s := wait_of_network(request.META.get("REMOTE_ADDR", "")):
        return _answer("sharing/busy.html", {"wait_s": wait_s}, 429, {"Retry-After": str(wait_s)})
    try:
        share = share_find(token)
        if share.audience != Share.Audience.PUBLIC:
            _member_check(request, share)
        content = _read(share, is_view=request.method == "GET")
    except NotFound:
        return _answer("sharing/gone.html", {}, 404)
    except (NotSignedIn, SecondFactorNeeded, SignOnNeeded) as refusal:
        return redirect_to_proof(request, refusal)
    return _answer("sharing/page.html", {"share": share, "owner": share.owner.user.name or "A member", "content": content})


def _member_check(request: HttpRequest, share: Share) -> None:
    """Raises NotFound, NotSignedIn, SecondFactorNeeded, SignOnNeeded."""
    try:
        request_actor(request, share.organization.slug, "session")
    except NotAllowed:
        raise NotFound from None


def _read(share: Share, *, is_view: bool) -> SharedContent:
    with tenant_tx(share.organization_id):
        content = shared_content(share)
        if content.pieces and is_view:
            share_count_view(share)
    if not content.pieces:
        raise NotFound
    return content


def _answer(template: str, context: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    """Return the page. Without the request, whose context would open the session."""
    return HttpResponse(loader.get_template(template).render(context), status=status, headers={**HEADERS, **(headers or {})})
