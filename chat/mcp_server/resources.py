"""Documents as resources: the member's own artifacts, in their latest or a named version. A token needs the scope "read" for them."""

from __future__ import annotations

import re
from typing import Final
from uuid import UUID

from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from artifacts.kinds import kind_get
from artifacts.models import Artifact, Version
from artifacts.selectors import artifact_get_for_member, artifact_list, version_get, version_latest_complete
from chat.mcp_server.requests import Context, handler, request_of
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import NotFound
from tenants.rest.pagination import PAGE_SIZE, Page

SCHEME: Final = "parley://artifact/"
_URI: Final = re.compile(rf"{SCHEME}(?P<id>[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})(/versions/(?P<number>[1-9][0-9]{{0,8}}))?")


def artifact_uri(artifact_id: UUID) -> str:
    """Return the URI of an artifact's latest version."""
    return f"{SCHEME}{artifact_id}"


@handler
async def resources_list(context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
    """Return a page of the member's artifacts, newest first. Pictures are left out, as they have no text."""
    actor, cursor = request_of(context, scope="read").actor, (params and params.cursor) or ""
    page = await in_db(_page, actor, cursor, organization_id=actor.organization_id)
    resources = [_resource(artifact) for artifact in page.items if kind_get(artifact.kind).is_editable]
    return ListResourcesResult(resources=resources, next_cursor=page.next_cursor)


@handler
async def templates_list(context: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
    """Return how one version of an artifact is named."""
    template = ResourceTemplate(
        name="artifact_version", title="A version of a document", uri_template=f"{SCHEME}{{id}}/versions/{{number}}"
    )
    return ListResourceTemplatesResult(resource_templates=[template])


@handler
async def resource_read(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    """Return the text of an artifact. Foreign and missing ones look the same."""
    actor = request_of(context, scope="read").actor
    version = await in_db(_version, actor, str(params.uri), organization_id=actor.organization_id)
    mime = kind_get(version.artifact.kind).mime
    return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, mime_type=mime, text=version.content)])


def _page(actor: Actor, cursor: str) -> Page[Artifact]:
    return artifact_list(actor=actor, conversation_id=None, kind=None, cursor=cursor, limit=PAGE_SIZE)


def _version(actor: Actor, uri: str) -> Version:
    match = _URI.fullmatch(uri)
    if match is None:
        raise NotFound
    artifact = artifact_get_for_member(artifact_id=UUID(match["id"]), actor=actor)
    number = match["number"]
    version = version_get(artifact=artifact, number=int(number)) if number else version_latest_complete(artifact=artifact)
    if version is None or not kind_get(artifact.kind).is_editable:
        raise NotFound
    return version


def _resource(artifact: Artifact) -> Resource:
    kind = kind_get(artifact.kind)
    return Resource(uri=artifact_uri(artifact.pk), name=f"{artifact.pk}.{kind.extension}", title=artifact.title, mime_type=kind.mime)
