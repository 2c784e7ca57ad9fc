"""The REST call that exports a conversation as a file (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Literal

import orjson
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import get_language, gettext, override
from pydantic import BaseModel, ConfigDict, Field

from artifacts.diagrams import MAX_DIAGRAMS, Diagrams, drawn_by_source
from artifacts.exports import Download, download_headers, file_name
from artifacts.kinds import MARKDOWN, PDF, WORD
from chat.api.rest.schemas import KEY_PARAMETER
from chat.conversations.export import conversation_json
from chat.conversations.selectors import conversation_get_for_user
from chat.exports.archive import archive_stream
from chat.exports.contents import Branches, ExportContents, Versions, export_contents
from chat.exports.documents import document_download
from chat.exports.markdown import piece_markdown, title_markdown
from chat.exports.pieces import Piece, export_pieces, piece_diagrams
from security.audit import audit
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.models import Organization
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

JSON_MEDIA_TYPE = "application/json"
ZIP_MEDIA_TYPE = "application/zip"


class ConversationExportQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["md", "pdf", "docx", "zip", "json"] = Field(description="`json` has all of it, whatever else is asked for.")
    branches: Branches = Field(default="shown", description="Only the branch that is shown, or the others below it, too.")
    versions: Versions = Field(default="latest", description="Of the documents. `all` counts in a `zip` alone.")


class DrawnConversationExport(BaseModel):
    """A file with its diagrams drawn. Those that are not sent stay as their source."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["pdf", "docx"]
    branches: Branches = "shown"
    diagrams: Diagrams = []


class DiagramQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    branches: Branches = Field(default="shown", description="Only the branch that is shown, or the others below it, too.")


class DiagramSources(ResponseSchema):
    """The sources of diagrams, each once, at most as many as a file can have."""

    items: list[str]


class ExportDiagramsView(RestView):
    """Says which diagrams an export has, so that the browser can draw them."""

    @operation(
        "listExportDiagrams",
        "The diagrams of an export, to be drawn",
        tag="conversations",
        query=DiagramQuery,
        path=KEY_PARAMETER,
        answer=DiagramSources,
    )
    def get(self, request: ActorRequest, key: str) -> DiagramSources:
        query, actor = self.query(DiagramQuery), request.actor
        with tenant_tx(actor.organization_id):
            contents = export_contents(conversation_get_for_user(actor=actor, key=key), branches=query.branches, versions="latest")
        sources = dict.fromkeys(source for piece in _pieces(contents, actor, "") for source in piece_diagrams(piece))
        return DiagramSources(items=list(sources)[:MAX_DIAGRAMS])


class ConversationExportView(RestView):
    """Exports a conversation as a file."""

    @operation(
        "exportConversation",
        "A conversation with its artifacts as a file",
        tag="conversations",
        query=ConversationExportQuery,
        path=KEY_PARAMETER,
        files=(MARKDOWN.mime, PDF.mime, WORD.mime, ZIP_MEDIA_TYPE, JSON_MEDIA_TYPE),
        errors=(400, 413),
    )
    def get(self, request: ActorRequest, key: str) -> HttpResponseBase:
        return _export(request.actor, key, self.query(ConversationExportQuery))

    @operation(
        "exportDrawnConversation",
        "A conversation as PDF or Word with its diagrams",
        tag="conversations",
        body=DrawnConversationExport,
        path=KEY_PARAMETER,
        files=(PDF.mime, WORD.mime),
        errors=(400, 413),
    )
    def post(self, request: ActorRequest, key: str) -> HttpResponseBase:
        body = self.body(DrawnConversationExport)
        query = ConversationExportQuery(format=body.format, branches=body.branches)
        return _export(request.actor, key, query, drawn_by_source(body.diagrams))


def _export(actor: Actor, key: str, query: ConversationExportQuery, diagrams: Mapping[str, str] | None = None) -> HttpResponseBase:
    """Return the file. `diagrams`: of a PDF or Word, base64 PNGs by the diagrams' sources."""
    with tenant_tx(actor.organization_id):
        conversation = conversation_get_for_user(actor=actor, key=key)
        title = conversation.title or gettext("Conversation")
        whole = conversation_json(conversation) if query.format == "json" else None
        versions = query.versions if query.format == "zip" else "latest"
        contents = export_contents(conversation, branches=query.branches, versions=versions) if whole is None else None
        organization = Organization.objects.values_list("name", flat=True).get(pk=actor.organization_id)
        audit(
            organization_id=actor.organization_id,
            actor_user_id=actor.user_id,
            action="conversation.export",
            object_kind="conversation",
            object_id=conversation.pk,
            detail={"format": query.format},
        )
    if contents is None:
        return Download(file_name(title, "json"), JSON_MEDIA_TYPE, orjson.dumps(whole, option=orjson.OPT_INDENT_2)).response()
    if query.format == "pdf" or query.format == "docx":
        return document_download(
            title, _pieces(contents, actor, organization), query.format, actor=actor, diagrams=diagrams or {}
        ).response()
    text = _markdown(title, contents, actor, organization, get_language())
    if query.format == "md":
        return _stream(text, file_name(title, "md"), MARKDOWN.mime)
    archive = archive_stream(text, contents, actor=actor, all_versions=versions == "all")
    return _stream(archive, file_name(title, "zip"), ZIP_MEDIA_TYPE)


def _pieces(contents: ExportContents, actor: Actor, organization: str) -> list[Piece]:
    pieces: list[Piece] = []
    for read in export_pieces(contents, organization=organization, moment=timezone.now()):
        with tenant_tx(actor.organization_id):
            pieces += read()
    return pieces


async def _markdown(title: str, contents: ExportContents, actor: Actor, organization: str, language: str | None) -> AsyncIterator[bytes]:
    """Yield the export as Markdown, in the language that the view answers in. No transaction waits for a slow client."""
    yield title_markdown(title).encode()
    for read in export_pieces(contents, organization=organization, moment=timezone.now()):
        with override(language):
            text = "".join(map(piece_markdown, await in_db(read, organization_id=actor.organization_id)))
        yield text.encode()


def _stream(content: AsyncIterator[bytes], name: str, media_type: str) -> StreamingHttpResponse:
    return StreamingHttpResponse(content, headers=download_headers(name, media_type))
