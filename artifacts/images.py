"""Images as artifacts: a version's content is empty, its metadata names an uploaded file."""

from __future__ import annotations

from uuid import UUID

from artifacts.errors import NotAnImage
from artifacts.models import Version
from files.links import content_url
from files.models import File
from files.selectors import file_get_for_member
from files.services import files_attach
from tenants.access import Actor
from tenants.errors import NotFound

FILE_ID = "fileId"


def image_attach(*, actor: Actor, file_id: UUID, conversation_id: UUID) -> dict[str, str]:
    """Keep the member's uploaded image for the conversation; return the metadata of its version.

    Raises NotFound, NotAnImage, FileInUse for a file of another conversation.
    """
    if file_get_for_member(file_id=file_id, actor=actor).kind != "image":
        raise NotAnImage
    files_attach(actor=actor, file_ids=[file_id], conversation_id=conversation_id)
    return {FILE_ID: str(file_id)}


def image_file(version: Version, *, actor: Actor) -> File:
    """The file of an image's version. Raises NotFound when there is none, or none any more."""
    file_id = version.metadata.get(FILE_ID)
    if file_id is None:
        raise NotFound
    return file_get_for_member(file_id=UUID(file_id), actor=actor)


def file_url(version: Version, *, actor: Actor) -> str | None:
    """Where the file of the version is during the next five minutes; None for versions without one."""
    try:
        return content_url(image_file(version, actor=actor), slug=actor.organization_slug)
    except NotFound:
        return None
