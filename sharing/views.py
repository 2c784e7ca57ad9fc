"""REST views of one's own links (docs/rest.md)."""

from __future__ import annotations

from uuid import UUID

from rest_framework.response import Response

from sharing.comments.notices import notify_share
from sharing.people import readers_find
from sharing.rights import named_members
from sharing.selectors import preview_shape, share_item, share_preview, shares_of
from sharing.services import share_change, share_create, share_stop
from sharing.shapes import NamedReaders, NewShare, PreviewQuery, ReadersQuery, ShareChange, ShareItem, ShareList, SharePreview, SharesQuery
from tenants.context import tenant_tx
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "shares"


class SharesView(RestView):
    """Lists and creates links."""

    @operation("listShares", "Your shared links that were not stopped, newest first", tag=TAG, answer=ShareList, query=SharesQuery)
    def get(self, request: ActorRequest) -> ShareList:
        of = self.query(SharesQuery)
        with tenant_tx(request.actor.organization_id):
            return ShareList(items=[share_item(share) for share in shares_of(request.actor, target_id=of.target)])

    @operation(
        "createShare", "Share a conversation, an answer or an artifact by link", tag=TAG, answer=ShareItem, status=201, body=NewShare
    )
    def post(self, request: ActorRequest) -> ShareItem:
        new = self.body(NewShare)
        with tenant_tx(request.actor.organization_id):
            return share_item(share_create(actor=request.actor, new=new))


class ShareView(RestView):
    """Changes and stops a link."""

    @operation(
        "changeShare", "Change the end of a shared link, whom it names, and what they may do", tag=TAG, answer=ShareItem, body=ShareChange
    )
    def patch(self, request: ActorRequest, share_id: UUID) -> ShareItem:
        change = self.body(ShareChange)
        with tenant_tx(request.actor.organization_id):
            former = named_members([share_id])
            share = share_change(actor=request.actor, share_id=share_id, change=change)
            notify_share(share, former)
            return share_item(share)

    @operation("stopShare", "Stop a shared link, at once and for good", tag=TAG, status=204)
    def delete(self, request: ActorRequest, share_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            notify_share(share_stop(actor=request.actor, share_id=share_id))
        return Response(status=204)


class ShareReadersView(RestView):
    """Finds people and groups whom a link can name."""

    write = True

    @operation("findReaders", "People and groups whom a shared link can name", tag=TAG, answer=NamedReaders, query=ReadersQuery)
    def get(self, request: ActorRequest) -> NamedReaders:
        query = self.query(ReadersQuery)
        with tenant_tx(request.actor.organization_id):
            return NamedReaders(items=readers_find(request.actor, query.q))


class SharePreviewView(RestView):
    """Says what a link would show."""

    @operation(
        "previewShare", "What a link to this would show now, and what to check first", tag=TAG, answer=SharePreview, query=PreviewQuery
    )
    def get(self, request: ActorRequest) -> SharePreview:
        of = self.query(PreviewQuery)
        with tenant_tx(request.actor.organization_id):
            organization, content = share_preview(actor=request.actor, of=of.of, target_id=of.target)
        return preview_shape(organization, content)
