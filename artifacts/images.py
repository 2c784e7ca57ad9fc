"""Images as artifacts: a version's content is empty, and its metadata names an uploaded file."""

from __future__ import annotations

from uuid import UUID

from artifacts.errors import NotAnImage, NotEditable
from artifacts.models import FILE_ID_KEY, Artifact, Version
from artifacts.selectors import version_get
from artifacts.services import NewVersion, version_create
from files.models import File
from files.selectors import file_get_for_member
from files.services import files_attach
from files.signed_urls import content_url
from tenants.access import Actor
from tenants.errors import NotFound


def image_attach(*, actor: Actor, file_id: UUID, conversation_id: UUID) -> dict[str, str]:
    """Attach the member's uploaded image to the conversation; return the metadata of its version.

    Raises NotFound, NotAnImage, and FileInUse for a file of another conversation.
    """
    if file_get_for_member(file_id=file_id, actor=actor).kind != "image":
        raise NotAnImage
    files_attach(actor=actor, file_ids=[file_id], conversation_id=conversation_id)
    return {FILE_ID_KEY: str(file_id)}


def image_version_save(*, artifact: Artifact, actor: Actor, base: int, file_id: UUID | None) -> Version:
    """Append the member's uploaded image as the next version, based on version `base`.

    `artifact` must come from a selector that checks access. Raises NotFound, NotEditable without a file, NotAnImage, FileInUse.
    """
    if file_id is None:
        raise NotEditable
    new = NewVersion(
        content="",
        operation=Version.Operation.EDIT,
        author_kind=Version.AuthorKind.USER,
        author_id=actor.membership_id,
        parent=version_get(artifact=artifact, number=base).number,
        metadata=image_attach(actor=actor, file_id=file_id, conversation_id=artifact.conversation_id),
    )
    return version_create(artifact=artifact, version=new)


def image_file(version: Version, *, actor: Actor) -> File:
    """Return the file of an image's version. Raises NotFound when there is none, or it was deleted or is not checked for malware."""
    file_id = version.metadata.get(FILE_ID_KEY)
    if file_id is None:
        raise NotFound
    file = file_get_for_member(file_id=UUID(file_id), actor=actor)
    if file.is_unchecked:
        raise NotFound
    return file


def file_url(version: Version, *, actor: Actor) -> str | None:
    """Return the URL of the version's file, valid for five minutes, or None for versions without one."""
    try:
        return content_url(image_file(version, actor=actor), slug=actor.organization_slug)
    except NotFound:
        return None
