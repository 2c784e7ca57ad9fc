"""The page of a link, at `/s/<token>/`: server-made HTML without a script, a cookie or a trace of who looks; and the one that continues it."""

from __future__ import annotations

from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from chat.conversations.lists import conversation_items
from chat.runs.announcements import announce_changed
from sharing.continuing import share_continue
from sharing.models import Share
from sharing.pages.cards import card_png
from sharing.pages.conditional import conditional_response
from sharing.pages.passwords import password_page
from sharing.pages.reader_pages import HEADERS, LISTING_HEADERS, busy_page, gone_page, reader_page
from sharing.pages.reading import content_to_show, wait_for_page
from sharing.people import member_name, share_names
from sharing.selectors import share_find
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import BadRequest, NotAllowed, NotFound, NotSignedIn, SecondFactorNeeded, SignOnNeeded
from tenants.input.visible_text import visible_line
from tenants.rest.http import redirect_to_proof, request_actor


@csrf_exempt  # its POST is a password, which no session stands for
@require_http_methods(["GET", "HEAD", "POST"])
def shared_page(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show what the link shows, after its password if it has one. A link for members asks for signing in; to others it looks unknown."""
    if wait_s := wait_for_page(request):
        return busy_page(wait_s)
    try:
        share = share_find(token)
        if share.audience != Share.Audience.PUBLIC:
            _member(request, share)
        if share.password and (locked := password_page(request, share)):
            return locked
        content = content_to_show(share, is_view=request.method != "HEAD")
    except NotFound:
        return gone_page()
    except (NotSignedIn, SecondFactorNeeded, SignOnNeeded) as refusal:
        return redirect_to_proof(request, refusal)
    card = f"{settings.PUBLIC_URL}{reverse('shared_card', args=[token])}"
    context = {"share": share, "owner": member_name(share.owner), "content": content, "token": token, "card": card}
    page = reader_page("sharing/page.html", context, headers=LISTING_HEADERS if share.is_listed else None)
    return conditional_response(request, page) if share.is_for_anyone else page


@require_safe
def card_picture(request: HttpRequest, token: str) -> HttpResponseBase:
    """Return the picture that messengers show of a link for anyone; all other links have none."""
    if wait_s := wait_for_page(request):
        return busy_page(wait_s)
    try:
        share = share_find(token)
        if not share.is_for_anyone:
            raise NotFound
    except NotFound:
        return gone_page()
    shared_by = gettext("Shared by %(owner)s, %(organization)s") % {
        "owner": member_name(share.owner),
        "organization": share.organization.name,
    }
    picture = card_png(visible_line(share.title), visible_line(shared_by))
    return conditional_response(request, HttpResponse(picture, headers=HEADERS, content_type="image/png"))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def continue_page(request: HttpRequest, token: str) -> HttpResponse:
    """Ask a member of the organization whether to continue in a copy; a POST makes it and opens it."""
    if wait_s := wait_for_page(request):
        return busy_page(wait_s)
    try:
        share = share_find(token)
        actor = _member(request, share)
        if share.conversation_id is None or share.password:  # a link with a password has no copy, as nothing remembers that it was given
            raise NotFound
        content = content_to_show(share, is_view=False)
    except NotFound:
        return gone_page()
    except (NotSignedIn, SecondFactorNeeded, SignOnNeeded) as refusal:
        return redirect_to_proof(request, refusal)
    context = {"share": share, "content": content, "token": token}
    if request.method != "POST":
        return render(request, "sharing/continue.html", context)
    return _continue(request, actor, context)


def _continue(request: HttpRequest, actor: Actor, context: dict[str, Any]) -> HttpResponse:
    try:
        with tenant_tx(actor.organization_id):
            conversation = share_continue(actor=actor, content=context["content"])
            items = conversation_items(actor, [conversation.pk])
    except (NotAllowed, BadRequest) as error:
        return render(request, "sharing/continue.html", {**context, "problem": error.message}, status=error.status)
    async_to_sync(announce_changed)(membership_id=actor.membership_id, items=items)
    return redirect(f"/o/{actor.organization_slug}/c/{conversation.pk}/")


def _member(request: HttpRequest, share: Share) -> Actor:
    """Return who is signed in, as a member whom the link is for. Raises NotFound, NotSignedIn, SecondFactorNeeded, SignOnNeeded."""
    try:
        actor = request_actor(request, share.organization.slug, "session")
    except NotAllowed:
        raise NotFound from None
    if share.audience == Share.Audience.NAMED:
        with tenant_tx(actor.organization_id):
            is_named = share_names(share, actor)
        if not is_named:
            raise NotFound
    return actor
