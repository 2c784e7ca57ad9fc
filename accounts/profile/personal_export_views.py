"""REST views of the export that members make of what is theirs (docs/accounts.md). In the browser only."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

from accounts.models import PersonalExport
from accounts.profile.personal_exports import RETENTION, export_begin, export_of, export_stored_as
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.rest.downloads import download_response
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

TAG = "profile"
ZIP = "application/zip"


class DataExport(ResponseSchema):
    """`state`: `none` when there is none, or it was deleted. `done` of `total` conversations and templates are in the file already."""

    state: Literal["none", "waiting", "ready", "failed"]
    done: int
    total: int
    size_bytes: int
    until: datetime | None  # when it is deleted


class DataExportView(RestView):
    scope = "session"

    @operation("getDataExport", "The export of your data in this organization", tag=TAG, answer=DataExport)
    def get(self, request: ActorRequest) -> DataExport:
        with tenant_tx(request.actor.organization_id):
            return _shape(export_of(request.actor))

    @operation(
        "beginDataExport",
        "Have your data in this organization put into a ZIP file",
        tag=TAG,
        answer=DataExport,
        status=202,
        idempotent=False,
        proof=True,
    )
    def post(self, request: ActorRequest) -> DataExport:
        with tenant_tx(request.actor.organization_id):
            return _shape(export_begin(actor=request.actor))


class DataExportFileView(RestView):
    scope = "session"

    @operation("downloadDataExport", "Download the export of your data", tag=TAG, files=(ZIP,))
    def get(self, request: ActorRequest) -> HttpResponseBase:
        with tenant_tx(request.actor.organization_id):
            stored_as = export_stored_as(actor=request.actor)
        name = f"{request.actor.organization_slug}-data.zip"
        disposition = content_disposition_header(as_attachment=True, filename=name) or "attachment"
        try:
            return download_response(stored_as, {"Content-Type": ZIP, "Content-Disposition": disposition, "Cache-Control": "no-store"})
        except FileNotFoundError:
            raise NotFound from None


def _shape(row: PersonalExport | None) -> DataExport:
    if row is None:
        return DataExport(state="none", done=0, total=0, size_bytes=0, until=None)
    state = PersonalExport.State(row.state).value
    return DataExport(state=state, done=row.done, total=row.total, size_bytes=row.size_bytes, until=row.created_at + RETENTION)
