"""REST view that exports an artifact as a file (docs/protocol.md).

The file is made after the transaction, in this request's own thread.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal
from uuid import UUID

from django.http import HttpResponse
from pydantic import BaseModel, ConfigDict, Field

from artifacts.access import artifact_get_for_editor
from artifacts.diagrams import Diagrams, drawn_by_source
from artifacts.exports import ExportSource, artifact_download
from artifacts.images import image_file
from artifacts.kinds import IMAGE, KINDS, PDF, WORD, kind_get
from artifacts.selectors import version_get
from files.storage import content_read
from security.audit import audit
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.rest.schemas import WholeNumber, operation
from tenants.rest.views import ActorRequest, RestView

TAG = "artifacts"
IMAGES = {"image/png", "image/jpeg", "image/gif", "image/webp"}  # the image types of files.sniffing
MEDIA_TYPES = sorted(
    {*IMAGES, *(kind.mime for kind in KINDS.values()), *(export.mime for kind in KINDS.values() for export in kind.exports)}
)


class ExportQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["md", "pdf", "docx", "py", "source", "csv", "png"] = Field(description="Not every kind becomes every file.")
    formulas: Literal["escaped", "kept"] = Field(
        default="escaped", description="In CSV, `escaped` puts an apostrophe before cells that a spreadsheet would run."
    )
    version: int | None = Field(default=None, ge=1, description="Its number; without it, the latest.")


class DrawnExport(BaseModel):
    """A file with its diagrams drawn. Those that are not sent stay as their source."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["pdf", "docx"]
    version: WholeNumber | None = Field(default=None, ge=1, description="Its number; without it, the latest.")
    diagrams: Diagrams = []


class ExportView(RestView):
    @operation("exportArtifact", "An artifact as a file", tag=TAG, query=ExportQuery, files=MEDIA_TYPES, errors=(400, 413))
    def get(self, request: ActorRequest, artifact_id: UUID) -> HttpResponse:
        query = self.query(ExportQuery)
        source, stored_as = _load_source(request.actor, artifact_id, query.version)
        if stored_as is not None:
            source = _with_file(source, *stored_as)
        return _export(request.actor, artifact_id, replace(source, keeps_formulas=query.formulas == "kept"), query.format)

    @operation(
        "exportDrawnArtifact",
        "An artifact as PDF or Word with its diagrams",
        tag=TAG,
        body=DrawnExport,
        files=(PDF.mime, WORD.mime),
        errors=(400, 413),
    )
    def post(self, request: ActorRequest, artifact_id: UUID) -> HttpResponse:
        body = self.body(DrawnExport)
        source, _ = _load_source(request.actor, artifact_id, body.version)
        return _export(request.actor, artifact_id, replace(source, diagrams=drawn_by_source(body.diagrams)), body.format)


def _export(actor: Actor, artifact_id: UUID, source: ExportSource, form: str) -> HttpResponse:
    response = artifact_download(source, form).response()
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="artifact.export",
        object_kind="artifact",
        object_id=artifact_id,
        detail={"format": form},
    )
    return response


def _load_source(actor: Actor, artifact_id: UUID, number: int | None) -> tuple[ExportSource, tuple[str, str] | None]:
    """Return what to export, and for images the stored name and media type of the file."""
    with tenant_tx(actor.organization_id):
        artifact = artifact_get_for_editor(artifact_id=artifact_id, actor=actor)
        version = version_get(artifact=artifact, number=number or artifact.latest_number)
        file = image_file(version, actor=actor) if artifact.kind == IMAGE.name else None
    return ExportSource(artifact.title, kind_get(artifact.kind), version.content), (file.shown_as, file.media_type) if file else None


def _with_file(source: ExportSource, stored_as: str, media_type: str) -> ExportSource:
    try:
        return ExportSource(source.title, source.kind, source.text, (content_read(stored_as), media_type))
    except FileNotFoundError as exc:
        raise NotFound from exc
