"""Reads of artifacts, and previews of a conversation's artifacts for agents.

An artifact is reached by its id only through `artifact_get_for_member` and `artifact_get_in_conversation`; foreign, missing and deleted
ones look the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from artifacts.models import Artifact, Suggestion, Version
from tenants.access import Actor
from tenants.context import current_organization_id
from tenants.errors import NotFound
from tenants.models import Membership
from tenants.postgres.prepared_statements import read_rows
from tenants.rest.pagination import Page, page_slice, paginate_newest_first


def artifact_get_for_member(*, artifact_id: UUID, actor: Actor, lock: bool = False) -> Artifact:
    """Return the actor's own artifact; other members of the organization can't see it. Raises NotFound.

    `lock`: hold the row until the transaction ends.
    """
    return _get_artifact(Artifact.objects.filter(owner_id=actor.membership_id), artifact_id, lock)


def artifact_get_in_conversation(*, artifact_id: UUID, conversation_id: UUID, lock: bool = False) -> Artifact:
    """Return an artifact of this conversation for a working agent, whatever id the model names. Raises NotFound."""
    return _get_artifact(Artifact.objects.filter(conversation_id=conversation_id), artifact_id, lock)


def artifacts_of_conversation(*, conversation_id: UUID, owner_id: UUID | None = None) -> list[Artifact]:
    """Return the conversation's artifacts, oldest first. Without an owner: for a working agent, while the conversation may change hands."""
    artifacts = Artifact.objects.filter(conversation_id=conversation_id, deleted_at=None)
    if owner_id is not None:
        artifacts = artifacts.filter(owner_id=owner_id)
    return list(artifacts.order_by("created_at", "id"))


# A value for a select of conversations `c`: `artifacts.schemas.artifact_summary` of each one's artifacts, oldest first.
SUMMARIES_SQL = """(
    SELECT COALESCE(json_agg(json_build_object(
        'id', a.id, 'conversationId', a.conversation_id, 'title', a.title, 'kind', a.kind, 'latestVersion', a.latest_number
    ) ORDER BY a.created_at, a.id), '[]')
    FROM artifacts_artifact a
    WHERE a.organization_id = c.organization_id AND a.conversation_id = c.id AND a.owner_id = c.owner_id AND a.deleted_at IS NULL
)"""


def artifact_list(*, actor: Actor, conversation_id: UUID | None, kind: str | None, cursor: str, limit: int) -> Page[Artifact]:
    """Return a page of the actor's own artifacts, newest first. One query. Raises BadRequest for an invalid cursor."""
    artifacts = Artifact.objects.filter(owner_id=actor.membership_id, deleted_at=None)
    if conversation_id is not None:
        artifacts = artifacts.filter(conversation_id=conversation_id)
    if kind is not None:
        artifacts = artifacts.filter(kind=kind)
    return paginate_newest_first(artifacts, field="created_at", cursor=cursor, limit=limit)


def version_list(*, artifact: Artifact, cursor: str, limit: int) -> Page[Version]:
    """Return a page of the artifact's versions without their content, newest first. One query. `cursor`: the number of the last one, or empty."""
    versions = _with_authors().filter(artifact_id=artifact.pk).defer("content").order_by("-number")
    if cursor:
        versions = versions.filter(number__lt=int(cursor))
    page = page_slice(versions[: limit + 1], limit, lambda version: str(version.number))
    _add_other_authors(page.items)
    return page


def versions_of(artifacts: Sequence[Artifact]) -> dict[UUID, list[Version]]:
    """Return each artifact's versions without their content, oldest first. One query, and a second one when some have several authors."""
    by_artifact: dict[UUID, list[Version]] = {artifact.pk: [] for artifact in artifacts}
    versions = list(_with_authors().filter(artifact_id__in=by_artifact).defer("content").order_by("number"))
    _add_other_authors(versions)
    for version in versions:
        by_artifact[version.artifact_id].append(version)
    return by_artifact


def _add_other_authors(versions: Sequence[Version]) -> None:
    """Fill in who else wrote each version, in the order in which they began. One query when there are any."""
    ids = {author for version in versions for author in version.metadata.get("authors", [])}
    if not ids:
        return
    members = {str(member.pk): member for member in Membership.objects.select_related("user").filter(pk__in=ids)}
    for version in versions:
        others = (author for author in version.metadata.get("authors", []) if author != str(version.author_id))
        version.other_authors = [members[author] for author in others if author in members]


def version_get(*, artifact: Artifact, number: int) -> Version:
    """Return a version of an artifact that was loaded with its access check. Raises NotFound."""
    version = _with_authors().filter(artifact_id=artifact.pk, number=number).first()
    if version is None:
        raise NotFound
    version.artifact = artifact
    _add_other_authors([version])
    return version


def version_latest_complete(*, artifact: Artifact, before: int | None = None) -> Version | None:
    """Return the newest version that is not a draft, or None. `before`: only versions below this number."""
    versions = _with_authors().filter(artifact_id=artifact.pk, is_draft=False)
    version = (versions if before is None else versions.filter(number__lt=before)).order_by("-number").first()
    if version is not None:
        version.artifact = artifact
    return version


def version_for_call(*, run_id: UUID, call_id: str) -> Version | None:
    """Return what a tool call wrote, with its artifact: the finished version, else its draft, else None."""
    versions = Version.objects.filter(run_id=run_id, call_id=call_id, artifact__deleted_at=None)
    return versions.select_related("artifact").order_by("is_draft").first()


def versions_of_run(run_id: UUID) -> list[Version]:
    """Return what the run wrote to its end, oldest first, with the artifacts. One query."""
    versions = Version.objects.filter(run_id=run_id, is_draft=False)
    return list(versions.select_related("artifact").order_by("created_at", "number"))


def undecided_suggestions(artifact: Artifact) -> list[Suggestion]:
    """Return suggestions that were neither accepted nor rejected, including stale ones, in the order in which they were made."""
    statuses = (Suggestion.Status.OPEN, Suggestion.Status.STALE)
    return list(Suggestion.objects.filter(artifact_id=artifact.pk, status__in=statuses).order_by("created_at", "position"))


def _with_authors() -> QuerySet[Version]:
    return Version.objects.select_related("author__user")


def _get_artifact(reachable: QuerySet[Artifact], artifact_id: UUID, lock: bool) -> Artifact:
    if lock:
        reachable = reachable.select_for_update()
    artifact = reachable.filter(pk=artifact_id, deleted_at=None).first()
    if artifact is None:
        raise NotFound
    return artifact


@dataclass(frozen=True, slots=True)
class ArtifactPreview:
    """The beginning of an artifact."""

    id: UUID
    title: str
    kind: str
    number: int  # the newest finished version, else the newest draft
    start: str  # the beginning of that version's content


def artifact_previews(*, conversation_id: UUID, owner_id: UUID, limit: int, characters: int) -> list[ArtifactPreview]:
    """Return at most `limit` of the conversation's artifacts, last changed first, with their first `characters`. One query."""
    values = {"organization": current_organization_id(), "conversation": conversation_id, "owner": owner_id}
    return [ArtifactPreview(*row) for row in read_rows(_PREVIEWS, {**values, "limit": limit, "characters": characters})]


# Plain SQL, because each send into a conversation with artifacts waits for it, and the ORM needs a millisecond of CPU to compile it.
_PREVIEWS = """\
SELECT a.id, a.title, a.kind, newest.number, left(newest.content, %(characters)s)
FROM artifacts_artifact a
CROSS JOIN LATERAL (
    SELECT v.number, v.content FROM artifacts_version v
    WHERE v.organization_id = a.organization_id AND v.artifact_id = a.id ORDER BY v.is_draft, v.number DESC LIMIT 1
) newest
WHERE a.organization_id = %(organization)s AND a.conversation_id = %(conversation)s AND a.owner_id = %(owner)s
    AND a.deleted_at IS NULL AND a.latest_number > 0
ORDER BY a.updated_at DESC, a.id
LIMIT %(limit)s
"""
