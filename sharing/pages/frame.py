"""A document inside other people's pages, at `/s/<token>/frame/`: its link names the origins that may show it."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from sharing.pages.conditional import conditional_response
from sharing.pages.reader_pages import busy_page, framed_by, gone_page, reader_page
from sharing.pages.reading import content_to_show, wait_for_page
from sharing.selectors import share_find
from tenants.errors import NotFound


@xframe_options_exempt  # its policy says who may
@require_safe
def framed_page(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show the document. In a page of any other origin the browser shows nothing."""
    if wait_s := wait_for_page(request):
        return busy_page(wait_s)
    try:
        share = share_find(token)
        if not share.frame_origins:
            raise NotFound
        content = content_to_show(share, is_view=request.method != "HEAD")
    except NotFound:
        return gone_page()
    context = {"piece": content.pieces[0], "token": token, "is_cut": content.is_cut}
    return conditional_response(request, reader_page("sharing/frame.html", context, headers=framed_by(share.frame_origins)))
