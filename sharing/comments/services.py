"""Reads and writes of comments. All functions need the organization's transaction."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext

from artifacts.services import sanitize_text
from security.audit import audit
from sharing.comments.shapes import NewComment
from sharing.content import shared_content
from sharing.models import Share, ShareComment
from sharing.rights import may_comment, share_for_member
from tenants.access import Actor
from tenants.errors import BadRequest, NotAllowed, NotFound

MAX_COMMENTS: Final = 500  # of a link


def comments_of(share: Share) -> list[ShareComment]:
    """Return the link's comments with their authors, oldest first. One query."""
    return list(ShareComment.objects.filter(share=share).select_related("author__user").order_by("created_at", "id"))


def comment_create(*, actor: Actor, share_id: UUID, new: NewComment) -> ShareComment:
    """Raises NotFound, also for a place that the link does not show, NotAllowed, BadRequest."""
    share = _share_to_comment(actor, share_id)
    if Share.objects.select_for_update(no_key=True).filter(pk=share.pk, revoked_at=None).first() is None:  # stopped meanwhile
        raise NotFound
    text = sanitize_text(new.text).strip()
    if not text:
        raise BadRequest(gettext("Write something first."))
    pieces = shared_content(share).pieces
    if not any(
        piece.message_id == new.message_id if new.message_id else (piece.artifact_id, piece.number) == (new.artifact_id, new.version)
        for piece in pieces
    ):
        raise NotFound(gettext("What you comment on is not shown here any more. Load the page again."))
    if ShareComment.objects.filter(share=share).count() >= MAX_COMMENTS:
        raise BadRequest(gettext("There are %(number)s comments already. Delete some first.") % {"number": MAX_COMMENTS})
    comment = ShareComment.objects.create(
        share=share, author_id=actor.membership_id, message_id=new.message_id, artifact_id=new.artifact_id, version=new.version, text=text
    )
    _audit(actor, "share.comment", share, comment)
    return _comment(share, comment.pk)


def comment_resolve(*, actor: Actor, share_id: UUID, comment_id: UUID, resolved: bool) -> ShareComment:
    """Mark the comment as done, or as open again. Raises NotFound, NotAllowed."""
    share = _share_to_comment(actor, share_id)
    comment = _comment(share, comment_id)
    comment.resolved_at = timezone.now() if resolved else None
    comment.save(update_fields=["resolved_at"])
    _audit(actor, "share.comment_resolve", share, comment, resolved=resolved)
    return comment


def comment_delete(*, actor: Actor, share_id: UUID, comment_id: UUID) -> Share:
    """Delete an own comment, or as the link's owner any. Return the link. Raises NotFound, NotAllowed."""
    share = share_for_member(actor, share_id)
    comment = _comment(share, comment_id)
    if not comment_may_delete(actor, share, comment):
        raise NotAllowed
    _audit(actor, "share.comment_delete", share, comment)
    comment.delete()
    return share


def comment_may_delete(actor: Actor, share: Share, comment: ShareComment) -> bool:
    return actor.membership_id in (share.owner_id, comment.author_id)


def _share_to_comment(actor: Actor, share_id: UUID) -> Share:
    share = share_for_member(actor, share_id)
    if not may_comment(actor, share):
        raise NotAllowed
    return share


def _comment(share: Share, comment_id: UUID) -> ShareComment:
    comment = ShareComment.objects.filter(share=share, pk=comment_id).select_related("author__user").first()
    if comment is None:
        raise NotFound
    comment.share = share
    return comment


def _audit(actor: Actor, action: str, share: Share, comment: ShareComment, **detail: object) -> None:
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind="share",
        object_id=share.pk,
        object_label=share.title,
        detail={"comment": str(comment.pk), **detail},
    )
