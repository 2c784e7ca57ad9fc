"""The shapes of artifacts in the REST API (docs/protocol.md); artifacts.shapes makes them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from artifacts.models import Version
from tenants.rest_schema import Answer


class VersionItem(Answer):
    number: int
    created_at: datetime
    operation: Version.Operation
    is_draft: bool
    author_kind: Version.AuthorKind


class VersionDetail(VersionItem):
    """`parent`: the number of the version that it was made from."""

    content: str
    parent: int | None


class VersionPage(Answer):
    items: list[VersionItem]
    next_cursor: str | None


class ArtifactSummary(Answer):
    id: UUID
    conversation_id: UUID
    title: str
    kind: str
    latest_version: int


class ArtifactListItem(ArtifactSummary):
    created_at: datetime
    updated_at: datetime


class ArtifactPage(Answer):
    items: list[ArtifactListItem]
    next_cursor: str | None


class ArtifactItem(ArtifactSummary):
    versions: list[VersionItem]


class ArtifactDetail(ArtifactItem):
    """`content` is the latest version's."""

    content: str
