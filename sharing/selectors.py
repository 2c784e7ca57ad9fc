"""Reads of links: whether one may be opened, and those of a member."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import F, Prefetch, Q, QuerySet, prefetch_related_objects
from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_lazy

from artifacts.models import Artifact
from artifacts.selectors import artifact_get_for_member, artifacts_of_conversation
from chat.conversations.plain_branch import complete_head
from chat.conversations.selectors import conversations_of
from chat.conversations.services import provisional_title
from chat.models import Conversation, Message
from chat.search.snippets import without_markup
from security.redaction import redact
from sharing.checks import share_checks
from sharing.content import Piece, SharedContent, shared_content
from sharing.models import Share, ShareComment, SharedKind
from sharing.people import named_readers, with_readers
from sharing.policy import allowed_audiences, sharing_policy
from sharing.shapes import PreviewPiece, ShareItem, SharePreview
from sharing.tokens import share_url, token_digest, token_organization
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import BadRequest, NotFound
from tenants.models import Organization

PREVIEW_PIECES, PREVIEW_CHARS = 12, 240

NOT_KEPT = gettext_lazy("A temporary chat can't be shared. It is deleted soon.")


def share_find(token: str) -> Share:
    """Return the open link with its organization, owner and what it shows. One query.

    Raises NotFound alike for unknown, expired and stopped links, and for those that their owner or the organization may not have any more.
    """
    with tenant_tx(token_organization(token)):
        relations = ("organization", "owner__user", "conversation", "artifact")
        share = shares_open().select_related(*relations).filter(digest=token_digest(token)).first()
    if share is None or share.audience not in allowed_audiences(share.organization):
        raise NotFound
    share.is_listed &= sharing_policy(share.organization) == "listed"
    return share


def shares_open() -> QuerySet[Share]:
    """Return the links whose page shows something, but for the organization's policy."""
    return shares_with_something().filter(
        Q(expires_at=None) | Q(expires_at__gt=Now()),
        revoked_at=None,
        owner__is_active=True,
        owner__user__is_active=True,
        organization__is_active=True,
    )


def shares_with_something() -> QuerySet[Share]:
    """Return the links to what still exists and still belongs to their owner."""
    conversation = Q(conversation__owner_id=F("owner_id"), conversation__deleted_at=None)
    artifact = Q(artifact__owner_id=F("owner_id"), artifact__deleted_at=None)
    return Share.objects.filter(conversation | artifact, head__deleted_at=None)


def shares_of(actor: Actor, *, target_id: UUID | None = None) -> list[Share]:
    """Return the actor's links that were not stopped, newest first; of one conversation, answer or artifact only if there is one. Three queries."""
    shares = shares_with_something().filter(owner_id=actor.membership_id, revoked_at=None).select_related("conversation", "artifact")
    if target_id is not None:
        whole = Q(conversation_id=target_id, is_answer=False)
        shares = shares.filter(whole | Q(artifact_id=target_id) | Q(head_id=target_id, is_answer=True))
    return list(with_readers(shares).prefetch_related(_open_comments()).order_by("-created_at", "-id"))


def conversation_to_share(actor: Actor, conversation_id: UUID) -> Conversation:
    """Return the actor's conversation with its newest message. Raises NotFound, and BadRequest for one that can't be shared."""
    conversation = conversations_of(actor).select_related("head__run").filter(pk=conversation_id, is_trial=False).first()
    if conversation is None:
        raise NotFound
    if conversation.expires_at is not None or not conversation.listed:
        raise BadRequest(NOT_KEPT)
    return conversation


def artifact_to_share(actor: Actor, artifact_id: UUID) -> Artifact:
    """Raises NotFound, and BadRequest when its conversation can't be shared."""
    artifact = artifact_get_for_member(artifact_id=artifact_id, actor=actor)
    conversation_to_share(actor, artifact.conversation_id)
    return artifact


def share_point_at_answer(share: Share, actor: Actor, message_id: UUID) -> None:
    """Let a new link show the answer as it is now. Raises NotFound, and BadRequest for one that can't be shared yet, or at all."""
    answers = Message.objects.filter(role=Message.Role.ASSISTANT, deleted_at=None).select_related("run")
    answer = answers.filter(pk=message_id).first()
    if answer is None:
        raise NotFound
    conversation = conversation_to_share(actor, answer.conversation_id)
    if complete_head(answer) != answer.pk:
        raise BadRequest(gettext("This answer is still being written. Share it when it is finished."))
    share.conversation, share.head, share.is_answer, share.follows = conversation, answer, True, False
    share.versions = versions_now(conversation.pk, actor)
    question = next((piece.text for piece in shared_content(share).pieces if piece.kind == "question"), "")
    share.copied_title = provisional_title(question) if question else ""


def versions_now(conversation_id: UUID, actor: Actor) -> dict[str, tuple[int, str]]:
    """Return the latest versions of the actor's artifacts in the conversation, with their titles, by their ids."""
    artifacts = artifacts_of_conversation(conversation_id=conversation_id, owner_id=actor.membership_id)
    return {str(artifact.pk): (artifact.latest_number, artifact.title) for artifact in artifacts}


def share_preview(*, actor: Actor, of: SharedKind, target_id: UUID) -> tuple[Organization, SharedContent]:
    """Return the organization and what a link made now would show. Raises NotFound, BadRequest."""
    share = Share(owner_id=actor.membership_id, follows=True)
    match of:
        case "artifact":
            share.artifact = artifact_to_share(actor, target_id)
        case "answer":
            share_point_at_answer(share, actor, target_id)
        case "conversation":
            share.conversation = conversation_to_share(actor, target_id)
    return Organization.objects.get(pk=actor.organization_id), shared_content(share)


def preview_shape(organization: Organization, content: SharedContent) -> SharePreview:
    return SharePreview(
        state=content.state,
        title=redact(content.title),
        organization=organization.name,
        policy=sharing_policy(organization),
        message_count=content.message_count,
        artifact_count=content.artifact_count,
        file_count=content.count("file"),
        cut=content.is_cut,
        pieces=_preview_pieces(content.pieces),
        checks=share_checks(content),
    )


def _preview_pieces(pieces: Sequence[Piece]) -> list[PreviewPiece]:
    """Return the beginnings of texts, without keys and markup, and titles of documents; of a document that is shared alone both."""
    if [piece.kind for piece in pieces] == ["artifact"]:
        pieces = [*pieces, Piece("answer", pieces[0].text)]
    texts = ((piece.kind, piece.heading if piece.kind == "artifact" else piece.text or piece.note) for piece in pieces)
    return [PreviewPiece(kind=kind, text=without_markup(redact(text)).strip()[:PREVIEW_CHARS]) for kind, text in texts if text][
        :PREVIEW_PIECES
    ]


def share_item(share: Share) -> ShareItem:
    """`share` has its conversation or artifact. Two queries if it is not of `shares_of`."""
    prefetch_related_objects([share], _open_comments())
    source = share.artifact or share.conversation
    assert source is not None, "a link shows one or the other"
    return ShareItem(
        id=share.pk,
        title=share.title,
        of=share.of,
        target_id=share.head_id if share.is_answer and share.head_id else source.pk,
        follows=share.follows,
        version=share.version,
        audience=Share.Audience(share.audience).value,
        readers=named_readers(share),
        right=Share.Right(share.right).value,
        has_password=bool(share.password),
        is_listed=share.is_listed,
        hidden=share.hidden,
        hides_keys=share.hides_keys,
        frame_origins=share.frame_origins,
        comment_count=len(share.comments.all()),
        url=share_url(share),
        created_at=share.created_at,
        expires_at=share.expires_at,
        expired=share.has_expired,
        view_count=share.view_count,
        last_viewed_at=share.last_viewed_at,
    )


def _open_comments() -> Prefetch[str]:
    return Prefetch("comments", ShareComment.objects.filter(resolved_at=None, thread=None).only("share_id"))


def copied_head(conversation: Conversation) -> Message | None:
    """Return the last message of a copy made now. None: there is nothing to share yet."""
    head_id = complete_head(conversation.head)
    return Message.objects.filter(pk=head_id, deleted_at=None).first() if head_id else None
