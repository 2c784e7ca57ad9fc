"""What a page of a link reads, and how often one network may ask for it."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest

from accounts.network_rate import wait_of_network
from sharing.content import SharedContent, shared_content
from sharing.models import Share
from sharing.services import share_count_view
from tenants.context import tenant_tx
from tenants.errors import NotFound

PAGES_PER_MINUTE: Final = 120  # from one network


def wait_for_page(request: HttpRequest) -> int:
    """Return the seconds to wait; 0: none."""
    return wait_of_network(request.META.get("REMOTE_ADDR", ""), what="shared-pages", per_minute=PAGES_PER_MINUTE)


def content_to_show(share: Share, *, is_view: bool) -> SharedContent:
    """Return what the link shows, and count that somebody looked. Raises NotFound when nothing is left of it."""
    with tenant_tx(share.organization_id):
        content = shared_content(share)
        if content.pieces and is_view:
            share_count_view(share)
    if not content.pieces:
        raise NotFound
    return content
