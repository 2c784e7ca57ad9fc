"""What a link shows: what people and assistants wrote, and documents. Never tool calls, thinking, prompts, files or addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal, assert_never
from uuid import UUID

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from artifacts.exports import code_fence, markdown_table
from artifacts.kinds import Body, kind_get
from artifacts.models import Artifact, Version
from artifacts.selectors import artifacts_of_conversation
from chat.conversations.plain_branch import PlainMessage, PlainPart, plain_branch
from chat.models import Message
from sharing.models import Share

MAX_CHARS: Final = 300_000  # of a page; its Markdown is rendered for each reader

PieceKind = Literal["question", "answer", "artifact", "file"]
_Document = tuple[Artifact, int, str]  # with the number of a version, and a title


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that stands on the page: a text, a document, or the mention of a file that is not shared.

    `heading`: the assistant's name or the document's title. `note`: what the document is. `body`: how the text is read.
    `artifact_kind`, `artifact_id`, `number`: of a document, the last two with its version. `message_id`: of a question or an answer.
    """

    kind: PieceKind
    text: str = ""
    heading: str = ""
    note: str = ""
    body: Body = "markdown"
    artifact_kind: str = ""
    artifact_id: UUID | None = None
    number: int | None = None
    message_id: UUID | None = None

    @property
    def markdown(self) -> str:
        """The text as Markdown."""
        match self.body:
            case "rows":
                return markdown_table(self.text)
            case "code":
                return code_fence(self.text, "mermaid" if self.artifact_kind == "mermaid" else "")
            case _:
                return self.text

    def html(self) -> SafeString:
        """Return the text as HTML."""
        from sharing.markdown import code_html, markdown_html  # the parser is many modules, which few processes need

        match self.body:
            case "markdown":
                return markdown_html(self.text, keeps_lines=self.kind == "question")
            case "rows":
                return markdown_html(markdown_table(self.text))
            case "code":
                return code_html(self.text)
            case "file":
                return SafeString()
        assert_never(self.body)


@dataclass(frozen=True, slots=True)
class SharedContent:
    """What a link shows. `is_cut`: it is longer than a page may be."""

    title: str
    pieces: Sequence[Piece]
    is_cut: bool = False

    def count(self, kind: PieceKind) -> int:
        return sum(piece.kind == kind for piece in self.pieces)

    @property
    def state(self) -> str:
        """A hash (SHA-256, hex) of all that the page shows."""
        parts = [self.title, *((piece.kind, piece.heading, piece.note, piece.text) for piece in self.pieces)]
        return sha256(repr(parts).encode(errors="surrogatepass")).hexdigest()

    @property
    def artifact_count(self) -> int:
        return self.count("artifact")

    @property
    def message_count(self) -> int:
        """Questions and answers; only the first piece of an answer has a heading."""
        return sum(piece.kind == "question" or (piece.kind == "answer" and bool(piece.heading)) for piece in self.pieces)


def shared_content(share: Share) -> SharedContent:
    """Return what the link shows now, without what it hides. Needs its organization's transaction. Two queries at most.

    Empty when nothing is left of it.
    """
    content = _whole_content(share)
    if not (share.hidden or share.hides_keys):
        return content
    hide = share.without_hidden
    return replace(content, pieces=[replace(piece, text=hide(piece.text), heading=hide(piece.heading)) for piece in content.pieces])


def _whole_content(share: Share) -> SharedContent:
    if share.artifact is not None:
        return SharedContent(share.title, *_cut(filter(None, _artifact_pieces([_document(share, share.artifact)]))))
    assert share.conversation is not None, "a link shows one or the other"
    messages: Sequence[PlainMessage] = plain_branch(share.conversation.pk, share.conversation.head_id if share.follows else share.head_id)
    if share.is_answer:
        messages = _last_turn(messages)
    documents = _documents(share, {UUID(part.text) for message in messages for part in message.parts if part.kind == "artifact_reference"})
    return SharedContent(share.title, *_cut(_branch_pieces(messages, documents)))


def _last_turn(messages: Sequence[PlainMessage]) -> Sequence[PlainMessage]:
    """Return the last question with all that answers it."""
    questions = [place for place, message in enumerate(messages) if message.role == Message.Role.USER]
    return messages[questions[-1] :] if questions else messages


def _documents(share: Share, ids: set[UUID]) -> dict[str, Piece]:
    """Return the conversation's artifacts by id: as they are now, or as the copy has them."""
    if not ids:
        return {}
    assert share.conversation is not None, "only a branch has documents beside it"
    artifacts = artifacts_of_conversation(conversation_id=share.conversation.pk, owner_id=share.owner_id)
    documents = [_document(share, row) for row in artifacts if row.pk in ids]
    return {str(row.pk): piece for (row, _, _), piece in zip(documents, _artifact_pieces(documents), strict=True) if piece}


def _document(share: Share, artifact: Artifact) -> _Document:
    """Return which version the link shows, 0 for none, and by which title: of a copy the ones of its moment."""
    if share.follows:
        return artifact, artifact.latest_number, artifact.title
    if share.artifact_id:
        return artifact, share.version or 0, share.copied_title
    number, title = share.versions.get(str(artifact.pk), (0, ""))
    return artifact, number, title


def _artifact_pieces(documents: Sequence[_Document]) -> list[Piece | None]:
    """Return each artifact with this version and title; None where there is no such version."""
    numbers = {artifact.pk: number for artifact, number, _ in documents}
    rows = Version.objects.filter(artifact_id__in=numbers, number__in=set(numbers.values()))
    versions = {row.artifact_id: row for row in rows if row.number == numbers[row.artifact_id]}
    return [
        _artifact_piece(artifact, versions[artifact.pk], title) if artifact.pk in versions else None for artifact, _, title in documents
    ]


def _artifact_piece(artifact: Artifact, version: Version, title: str) -> Piece:
    kind = kind_get(artifact.kind)
    note = gettext("%(kind)s, version %(number)s") % {"kind": gettext(kind.label), "number": version.number}
    full_note = note if kind.body != "file" else gettext("%(note)s. Pictures aren't shared.") % {"note": note}
    return Piece("artifact", version.content, title, full_note, kind.body, kind.name, artifact.pk, version.number)


def _branch_pieces(messages: Iterable[PlainMessage], documents: dict[str, Piece]) -> Iterator[Piece]:
    """Yield the branch's pieces. A document stands where it was first made."""
    waiting = dict(documents)
    for message in messages:
        heading = (message.speaker or gettext("Assistant")) if message.role == Message.Role.ASSISTANT else ""
        for piece in filter(None, (_branch_piece(part, waiting) for part in message.parts)):
            if heading and piece.kind != "answer":
                yield Piece("answer", heading=heading, message_id=message.id)
            if piece.kind == "artifact":
                yield piece
            else:
                yield replace(piece, heading=heading if piece.kind == "answer" else "", message_id=message.id)
            heading = ""


def _branch_piece(part: PlainPart, documents: dict[str, Piece]) -> Piece | None:
    """Take a document out of `documents`. None for one that is not there, or not any more."""
    match part.kind:
        case "user_message":
            return Piece("question", part.text)
        case "assistant_text":
            return Piece("answer", part.text)
        case "artifact_reference":
            return documents.pop(part.text, None)
        case "file" | "answer_file":
            return Piece("file", note=_file_note(part.text), body="file")


def _file_note(media_type: str) -> str:
    return gettext("A picture that isn't shared") if media_type.startswith("image/") else gettext("A file that isn't shared")


def _cut(pieces: Iterable[Piece]) -> tuple[list[Piece], bool]:
    """Return the first pieces that have MAX_CHARS together, and whether there are more."""
    first_pieces: list[Piece] = []
    left = MAX_CHARS
    for piece in pieces:
        left -= len(piece.text)
        if left < 0:
            return first_pieces, True
        first_pieces.append(piece)
    return first_pieces, False
