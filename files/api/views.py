"""REST views of files, and the view of their bytes (docs/protocol.md)."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET
from rest_framework.response import Response

from files.api.schemas import FileItem, FileText, file_item
from files.api.uploads import raise_if_rejected
from files.models import File
from files.selectors import file_get_for_member
from files.services import file_remove, file_upload
from files.signed_urls import LINK_LIFETIME_S, FileLink, link_open
from security.audit import audit
from tenants.access import Actor, actor_of_membership
from tenants.context import tenant_tx
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.rest.downloads import download_response, stored_response
from tenants.rest.http import OrganizationRequest, organization_view
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "files"
UPLOAD_FIELD = "file"
UPLOAD_SCHEMA = {
    "multipart/form-data": {
        "type": "object",
        "properties": {UPLOAD_FIELD: {"type": "string", "format": "binary"}},
        "required": [UPLOAD_FIELD],
        "additionalProperties": False,
    }
}
# Nothing in a file can run, load or be framed, whatever type a browser assumes.
FILE_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"


UNCHECKED = gettext_lazy("This file is being checked for malware, or was refused.")


class FilesView(RestView):
    write = True
    takes_files = True

    @operation(
        "attachFile", "Attach a file", tag=TAG, answer=FileItem, status=201, body=UPLOAD_SCHEMA, errors=(409, 507), idempotent=False
    )  # repeating it does no harm
    def post(self, request: ActorRequest) -> FileItem:
        upload = self.http.FILES.get(UPLOAD_FIELD)
        raise_if_rejected(self.http)
        if upload is None:
            raise BadRequest(
                gettext("Send one file as multipart/form-data, in the field `%(upload_field)s`.") % {"upload_field": UPLOAD_FIELD}
            )
        file = file_upload(actor=request.actor, name=upload.name or "", content=upload.read())
        return file_item(file, slug=request.actor.organization_slug)


class FileView(RestView):
    @operation("getFile", "A file, how far it is read, and where its bytes are", tag=TAG, answer=FileItem)
    def get(self, request: ActorRequest, file_id: UUID) -> FileItem:
        with tenant_tx(request.actor.organization_id):
            file = file_get_for_member(file_id=file_id, actor=request.actor)
        return file_item(file, slug=request.actor.organization_slug)

    @operation("removeFile", "Remove a file that no message has", tag=TAG, status=204, errors=(409,))
    def delete(self, request: ActorRequest, file_id: UUID) -> Response:
        if not request.actor.can_write:
            raise NotAllowed
        with tenant_tx(request.actor.organization_id):
            file_remove(file_get_for_member(file_id=file_id, actor=request.actor, lock=True))
            audit(
                organization_id=request.actor.organization_id,
                actor_user_id=request.actor.user_id,
                action="file.delete",
                object_kind="file",
                object_id=file_id,
            )
        return Response(status=204)


class FileTextView(RestView):
    @operation("getFileText", "What was read of a file", tag=TAG, answer=FileText)
    def get(self, request: ActorRequest, file_id: UUID) -> FileText:
        with tenant_tx(request.actor.organization_id):
            file = file_get_for_member(file_id=file_id, actor=request.actor)
        if file.is_unchecked:
            raise NotFound(UNCHECKED)
        return FileText(text=file.text, is_cut=file.text_cut)


@require_GET
def content_view(request: HttpRequest, slug: str, file_id: UUID) -> HttpResponseBase:
    """Serve a file's bytes at its signed URL: on our origin to its owner only, on the files' own origin to anyone with the URL."""
    view = _content_by_link if settings.FILES_URL else _content_for_member
    response: HttpResponseBase = view(request, slug=slug, file_id=file_id)
    return response


@organization_view()
def _content_for_member(request: OrganizationRequest, file_id: UUID) -> HttpResponseBase:
    link = link_open(request.GET.get("token", ""), file_id=file_id)
    if link.owner_id != request.actor.membership_id:
        raise NotFound
    return _content(request.actor, file_id, link)


def _content_by_link(request: HttpRequest, slug: str, file_id: UUID) -> HttpResponseBase:
    link = link_open(request.GET.get("token", ""), file_id=file_id)
    return _content(actor_of_membership(membership_id=link.owner_id, slug=slug), file_id, link)


def _content(actor: Actor, file_id: UUID, link: FileLink) -> HttpResponseBase:
    with tenant_tx(actor.organization_id):
        file = file_get_for_member(file_id=file_id, actor=actor)
    if file.is_unchecked:
        raise NotFound(UNCHECKED)
    try:
        if link.is_original:
            return download_response(file.stored_as, _headers(file))
        return stored_response(file.shown_as, _headers(file))
    except FileNotFoundError as exc:
        raise NotFound from exc


def _headers(file: File) -> dict[str, str]:
    """Make it a download in any case; an <img> on our pages shows it nevertheless."""
    is_text = file.kind == "text"
    # The chat's page reads files for the Python console. No other page may, and none with cookies.
    readers = {"Access-Control-Allow-Origin": settings.PUBLIC_URL} if settings.FILES_URL else {}
    return {
        **readers,
        "Content-Type": "text/plain; charset=utf-8" if is_text else file.media_type,
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=file.name) or "attachment",
        "Content-Security-Policy": FILE_POLICY,
        "Cross-Origin-Resource-Policy": "cross-origin" if settings.FILES_URL else "same-origin",
        "Cache-Control": f"private, max-age={LINK_LIFETIME_S}",
    }
