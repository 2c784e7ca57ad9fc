"""REST views of what is shared with a member by name, and of comments on it (docs/rest.md)."""

from __future__ import annotations

from uuid import UUID

from rest_framework.response import Response

from security.redaction import REDACTED
from sharing.comments.mails import comment_mails_write, mail_receivers
from sharing.comments.notices import notify_comment, notify_share
from sharing.comments.services import (
    comment_create,
    comment_delete,
    comment_edit,
    comment_may_delete,
    comment_may_edit,
    comment_resolve,
    comments_of,
    comments_of_artifact,
)
from sharing.comments.shapes import (
    ArtifactComments,
    CommentAnchor,
    CommentChange,
    CommentItem,
    CommentList,
    NewComment,
    OpenedShare,
    SharedPiece,
)
from sharing.content import Piece, shared_content
from sharing.models import Share, ShareComment
from sharing.people import member_name
from sharing.rights import may_comment, share_for_member
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "shares"


class OpenedShareView(RestView):
    @operation("openShare", "What somebody shares with you by name, with its comments", tag=TAG, answer=OpenedShare)
    def get(self, request: ActorRequest, share_id: UUID) -> OpenedShare:
        actor = request.actor
        with tenant_tx(actor.organization_id):
            share = share_for_member(actor, share_id)
            content, comments = shared_content(share), comments_of(share)
        is_own = share.owner_id == actor.membership_id
        return OpenedShare(
            id=share.pk,
            title=share.title,
            of=share.of,
            owner=member_name(share.owner),
            is_own=is_own,
            right=Share.Right(share.right).value,
            may_comment=may_comment(actor, share),
            may_edit=actor.can_write and (is_own or share.right == Share.Right.EDIT),
            cut=content.is_cut,
            pieces=[_piece(piece) for piece in content.pieces],
            comments=[_comment(actor, share, comment) for comment in comments],
        )


class ArtifactCommentsView(RestView):
    @operation(
        "listArtifactComments",
        "Comments on a document that you may edit, of all links that show it whole",
        tag=TAG,
        answer=ArtifactComments,
    )
    def get(self, request: ActorRequest, artifact_id: UUID) -> ArtifactComments:
        with tenant_tx(request.actor.organization_id):
            share, comments = comments_of_artifact(request.actor, artifact_id)
        items = [_comment(request.actor, comment.share, comment) for comment in comments]
        return ArtifactComments(share_id=share.pk if share else None, items=items)


class CommentsView(RestView):
    @operation("listComments", "Comments on what a link shows, oldest first", tag=TAG, answer=CommentList)
    def get(self, request: ActorRequest, share_id: UUID) -> CommentList:
        with tenant_tx(request.actor.organization_id):
            share = share_for_member(request.actor, share_id)
            comments = comments_of(share)
        return CommentList(items=[_comment(request.actor, share, comment) for comment in comments])

    @operation("createComment", "Comment on something that a link shows", tag=TAG, answer=CommentItem, status=201, body=NewComment)
    def post(self, request: ActorRequest, share_id: UUID) -> CommentItem:
        new = self.body(NewComment)
        with tenant_tx(request.actor.organization_id):
            comment = comment_create(actor=request.actor, share_id=share_id, new=new)
            notify_comment(comment, request.actor)
            receivers = mail_receivers(comment)
        comment_mails_write(comment, receivers, actor=request.actor)
        return _comment(request.actor, comment.share, comment)


class CommentView(RestView):
    @operation(
        "resolveComment",
        "Mark a comment as done, or as open again, or change the text of your own",
        tag=TAG,
        answer=CommentItem,
        body=CommentChange,
    )
    def patch(self, request: ActorRequest, share_id: UUID, comment_id: UUID) -> CommentItem:
        change = self.body(CommentChange)
        with tenant_tx(request.actor.organization_id):
            comment = _changed(request.actor, share_id, comment_id, change)
            notify_share(comment.share)
        return _comment(request.actor, comment.share, comment)

    @operation("deleteComment", "Delete a comment of yours, or on a link of yours", tag=TAG, status=204)
    def delete(self, request: ActorRequest, share_id: UUID, comment_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            share = comment_delete(actor=request.actor, share_id=share_id, comment_id=comment_id)
            notify_share(share)
        return Response(status=204)


def _changed(actor: Actor, share_id: UUID, comment_id: UUID, change: CommentChange) -> ShareComment:
    if change.text is not None:
        return comment_edit(actor=actor, share_id=share_id, comment_id=comment_id, text=change.text)
    return comment_resolve(actor=actor, share_id=share_id, comment_id=comment_id, resolved=bool(change.resolved))


def _piece(piece: Piece) -> SharedPiece:
    return SharedPiece(
        kind=piece.kind,
        heading=piece.heading,
        note=piece.note,
        markdown=piece.markdown,
        message_id=piece.message_id,
        artifact_id=piece.artifact_id,
        version=piece.number,
    )


def _comment(actor: Actor, share: Share, comment: ShareComment) -> CommentItem:
    return CommentItem(
        id=comment.pk,
        share_id=share.pk,
        author=member_name(comment.author) if comment.author else "",
        text=comment.text,
        message_id=comment.message_id,
        artifact_id=comment.artifact_id,
        version=comment.version,
        anchor=_anchor(share, comment),
        thread_id=comment.thread_id,
        created_at=comment.created_at,
        edited_at=comment.edited_at,
        resolved_at=comment.resolved_at,
        resolved_by=member_name(comment.resolved_by) if comment.resolved_by else "",
        may_comment=may_comment(actor, share),
        may_edit=comment_may_edit(actor, share, comment),
        may_delete=comment_may_delete(actor, share, comment),
    )


def _anchor(share: Share, comment: ShareComment) -> CommentAnchor | None:
    """A link that hides something by now shows the words alone, and none where a part of what it hides may be in them."""
    if comment.anchor is None:
        return None
    anchor = CommentAnchor.model_validate(comment.anchor)
    if share.shows_latest_whole:
        return anchor
    around = anchor.prefix + anchor.quote + anchor.suffix
    quote = anchor.quote if share.without_hidden(around) == around else REDACTED
    return anchor.model_copy(update={"quote": quote, "prefix": "", "suffix": ""})
