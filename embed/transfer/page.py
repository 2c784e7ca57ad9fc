"""The page on which a member takes over what they wrote as a visitor, at `/keep/<key of the embed>/<code>/`.

It is outside of /embed/, where no cookie counts: who opens it is signed in, or signs in first.
"""

from __future__ import annotations

from typing import Any, Final

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.network_rate import wait_of_network
from chat.conversations.lists import conversation_items
from chat.conversations.ownership import conversations_count
from chat.runs.announcements import announce_changed
from embed.keys import site_key
from embed.models import EmbedSite, EmbedVisitor
from embed.transfer.codes import transfer_code_use_up, visitor_of_code
from embed.transfer.services import transfer_to_member
from embed.visitors.bearers import TooManyVisits
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import NotAllowed, NotFound, NotSignedIn, SecondFactorNeeded, SignOnNeeded
from tenants.rest.http import redirect_to_proof, request_actor

PAGES_PER_MINUTE: Final = 60  # from one network
HEADERS: Final = {"Referrer-Policy": "same-origin", "X-Robots-Tag": "noindex, nofollow"}  # `no-referrer` would take the form its Origin


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def keep_page(request: HttpRequest, site: str, code: str) -> HttpResponse:
    """Ask a member of the organization whether the conversations shall be theirs; a POST moves them and opens the newest."""
    if wait_of_network(request.META.get("REMOTE_ADDR", ""), what="embed-keep", per_minute=PAGES_PER_MINUTE):
        raise TooManyVisits
    try:
        embed_site, visitor = visitor_of_code(site, code)
        actor = request_actor(request, embed_site.organization.slug, "session")
        if request.method == "POST":
            return _take_over(request, embed_site, visitor, actor, code)
        with tenant_tx(actor.organization_id):
            count = conversations_count(visitor.membership_id)
        if not count:
            raise NotFound
    except NotFound:
        return _page(request, {}, status=404)
    except (NotSignedIn, SecondFactorNeeded, SignOnNeeded) as refusal:
        return redirect_to_proof(request, refusal)
    return _page(request, {"site": embed_site, "count": count})


def _take_over(request: HttpRequest, site: EmbedSite, visitor: EmbedVisitor, actor: Actor, code: str) -> HttpResponse:
    """Raises NotFound when there is nothing to take over any more."""
    if not actor.can_write:
        return _page(request, {"site": site, "problem": NotAllowed.message}, status=403)
    transfer_code_use_up(site_key(site), code)
    with tenant_tx(actor.organization_id):
        conversation_ids = transfer_to_member(visitor, site=site, actor=actor)
        items = conversation_items(actor, conversation_ids)
    if not conversation_ids:
        raise NotFound
    async_to_sync(announce_changed)(membership_id=actor.membership_id, items=items)
    return redirect(f"/o/{actor.organization_slug}/c/{conversation_ids[0]}/")


def _page(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    response = render(request, "embed/keep.html", context, status=status)
    for name, value in HEADERS.items():
        response[name] = value
    return response
