"""A member's own conversation, made from what a link shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from uuid import UUID

from django.utils.translation import gettext

from agents.entry_codec import entry_encode
from agents.messages import ArtifactReference, AssistantText, Entry, UserMessage
from artifacts.models import Version
from artifacts.services import NewVersion, artifact_create
from chat.conversations.services import conversation_create
from chat.models import Conversation, Message, Part
from sharing.content import Piece, SharedContent
from tenants.access import Actor
from tenants.errors import BadRequest


def share_continue(*, actor: Actor, content: SharedContent) -> Conversation:
    """Make a conversation of the actor with the texts and documents of the page, and nothing that the page does not show.

    Needs the organization's transaction. Raises NotAllowed, and BadRequest when the page does not show all of it.
    """
    if content.is_cut:
        raise BadRequest(gettext("This conversation is too long to be continued in a copy."))
    conversation = conversation_create(actor=actor, title=content.title)
    parent: Message | None = None
    for role, pieces in groupby((piece for piece in content.pieces if piece.kind != "file"), key=_role):
        parent = Message.objects.create(conversation=conversation, role=role, parent=parent)
        entries = _entries(pieces, actor=actor, conversation_id=conversation.pk)
        Part.objects.bulk_create(_part(parent, position, entry) for position, entry in enumerate(entries))
    conversation.head = parent
    conversation.save(update_fields=["head"])
    return conversation


def _role(piece: Piece) -> str:
    return Message.Role.USER if piece.kind == "question" else Message.Role.ASSISTANT


def _entries(pieces: Iterable[Piece], *, actor: Actor, conversation_id: UUID) -> Iterator[Entry]:
    for piece in pieces:
        if piece.kind == "question":
            yield UserMessage(piece.text)
        elif piece.kind == "answer" and piece.text:
            # What it was written from is not copied, and may have been a stranger's (SECURITY 27).
            yield AssistantText(piece.text, from_caller=True)
        elif piece.kind == "artifact" and piece.body != "file":
            yield _artifact(piece, actor=actor, conversation_id=conversation_id)


def _artifact(piece: Piece, *, actor: Actor, conversation_id: UUID) -> ArtifactReference:
    create = Version.Operation.CREATE
    new = NewVersion(content=piece.text, operation=create, author_kind=Version.AuthorKind.USER, author_id=actor.membership_id)
    version = artifact_create(
        conversation_id=conversation_id, owner_id=actor.membership_id, title=piece.heading, kind=piece.artifact_kind, version=new
    )
    return ArtifactReference(str(version.artifact_id), piece.heading, piece.artifact_kind, version.number, create, call_id="")


def _part(message: Message, position: int, entry: Entry) -> Part:
    kind, content, extras = entry_encode(entry)
    return Part(message=message, position=position, kind=kind, content=content, extras=extras)
