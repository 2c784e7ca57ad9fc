"""Reads and writes of comments. All functions need the organization's transaction."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext

from artifacts.access import artifact_get_for_editor
from artifacts.services import sanitize_text
from security.audit import audit
from sharing.comments.shapes import NewComment
from sharing.content import Piece, shared_content
from sharing.models import Share, ShareComment
from sharing.rights import may_comment, share_for_member, shares_showing
from tenants.access import Actor
from tenants.errors import BadRequest, NotAllowed, NotFound

MAX_COMMENTS: Final = 500  # of a link
_PEOPLE: Final = ("author__user", "resolved_by__user")


def comments_of(share: Share) -> list[ShareComment]:
    """Return the link's comments with their authors, oldest first. One query."""
    return list(ShareComment.objects.filter(share=share).select_related(*_PEOPLE).order_by("created_at", "id"))


def comments_of_artifact(actor: Actor, artifact_id: UUID) -> tuple[Share | None, list[ShareComment]]:
    """Return the link that the actor's new comments belong to, and all comments with their links and authors, oldest first.

    They are those of the links that show the artifact to its editors as it is now. None: the actor may not comment. Ten queries at most.
    Raises NotFound for whoever is neither its owner nor an editor.
    """
    artifact = artifact_get_for_editor(artifact_id=artifact_id, actor=actor)
    shares = shares_showing(actor, artifact)
    mine = [share for share in shares if may_comment(actor, share)]
    rows = ShareComment.objects.filter(share__in=shares, artifact_id=artifact.pk).select_related(*_PEOPLE)
    comments = list(rows.order_by("created_at", "id"))
    for comment in comments:
        comment.share = next(share for share in shares if share.pk == comment.share_id)
    return max(mine, key=lambda share: share.right == Share.Right.EDIT, default=None), comments


def comment_create(*, actor: Actor, share_id: UUID, new: NewComment) -> ShareComment:
    """An answer opens its thread again. Raises NotFound, also for a place that the link does not show, NotAllowed, BadRequest."""
    share = _share_to_comment(actor, share_id)
    _lock(share)
    text = _clean_text(new.text)
    if not any(_is_place(piece, new) for piece in shared_content(share).pieces) or not _fits_thread(share, new):
        raise NotFound(gettext("What you comment on is not shown here any more. Load the page again."))
    if new.anchor and not share.shows_latest_whole:
        raise BadRequest(gettext("This link does not show the document as it is now. Comment on it as a whole."))
    if ShareComment.objects.filter(share=share).count() >= MAX_COMMENTS:
        raise BadRequest(gettext("There are %(number)s comments already. Delete some first.") % {"number": MAX_COMMENTS})
    comment = ShareComment.objects.create(
        share=share,
        author_id=actor.membership_id,
        message_id=new.message_id,
        artifact_id=new.artifact_id,
        version=new.version,
        anchor=new.anchor.mapped(sanitize_text).model_dump() if new.anchor else None,
        thread_id=new.thread_id,
        text=text,
    )
    if new.thread_id:
        ShareComment.objects.filter(pk=new.thread_id).exclude(resolved_at=None).update(resolved_at=None, resolved_by=None)
    _audit(actor, "share.comment", share, comment)
    return _comment(share, comment.pk)


def comment_resolve(*, actor: Actor, share_id: UUID, comment_id: UUID, resolved: bool) -> ShareComment:
    """Mark the comment with its replies as done, or as open again. Raises NotFound, also for a reply, and NotAllowed."""
    share = _share_to_comment(actor, share_id)
    _lock(share)
    comment = _comment(share, comment_id)
    if comment.thread_id is not None:
        raise NotFound
    if resolved == (comment.resolved_at is not None):
        return comment  # somebody else was faster
    comment.resolved_at = timezone.now() if resolved else None
    comment.resolved_by_id = actor.membership_id if resolved else None
    comment.save(update_fields=["resolved_at", "resolved_by"])
    _audit(actor, "share.comment_resolve", share, comment, resolved=resolved)
    return _comment(share, comment.pk)


def comment_edit(*, actor: Actor, share_id: UUID, comment_id: UUID, text: str) -> ShareComment:
    """Give an own comment another text. Raises NotFound, NotAllowed, BadRequest."""
    share = _share_to_comment(actor, share_id)
    _lock(share)
    comment = _comment(share, comment_id)
    if not comment_may_edit(actor, share, comment):
        raise NotAllowed
    comment.text, comment.edited_at = _clean_text(text), timezone.now()
    comment.save(update_fields=["text", "edited_at"])
    _audit(actor, "share.comment_edit", share, comment)
    return comment


def comment_delete(*, actor: Actor, share_id: UUID, comment_id: UUID) -> Share:
    """Delete an own comment with its replies, or as the link's owner any. Return the link. Raises NotFound, NotAllowed."""
    share = share_for_member(actor, share_id)
    _lock(share)
    comment = _comment(share, comment_id)
    if not comment_may_delete(actor, share, comment):
        raise NotAllowed
    _audit(actor, "share.comment_delete", share, comment)
    comment.delete()
    return share


def comment_may_delete(actor: Actor, share: Share, comment: ShareComment) -> bool:
    return actor.membership_id in (share.owner_id, comment.author_id)


def comment_may_edit(actor: Actor, share: Share, comment: ShareComment) -> bool:
    return actor.membership_id == comment.author_id and may_comment(actor, share)


def _clean_text(text: str) -> str:
    """Raises BadRequest when nothing is in it."""
    clean = sanitize_text(text).strip()
    if not clean:
        raise BadRequest(gettext("Write something first."))
    return clean


def _is_place(piece: Piece, new: NewComment) -> bool:
    if new.message_id:
        return piece.message_id == new.message_id
    assert new.version is not None, "the shape has one or the other"
    # A passage or a reply may be of an earlier version, since others write meanwhile.
    is_shown = piece.number == new.version or ((new.anchor or new.thread_id) and new.version <= (piece.number or 0))
    return piece.artifact_id == new.artifact_id and bool(is_shown)


def _fits_thread(share: Share, new: NewComment) -> bool:
    """Whether the comment that this one answers is there, and at the same place."""
    place = {"message_id": new.message_id, "artifact_id": new.artifact_id}
    return new.thread_id is None or ShareComment.objects.filter(share=share, pk=new.thread_id, thread=None, **place).exists()


def _share_to_comment(actor: Actor, share_id: UUID) -> Share:
    share = share_for_member(actor, share_id)
    if not may_comment(actor, share):
        raise NotAllowed
    return share


def _lock(share: Share) -> None:
    """Let changes of the link's comments come one after another. Raises NotFound when it was stopped meanwhile."""
    if Share.objects.select_for_update(no_key=True).filter(pk=share.pk, revoked_at=None).first() is None:
        raise NotFound


def _comment(share: Share, comment_id: UUID) -> ShareComment:
    comment = ShareComment.objects.filter(share=share, pk=comment_id).select_related(*_PEOPLE).first()
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
