"""Files that a project has already, attached to a message (docs/decisions/0101-project-files-in-messages.md)."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext, gettext_lazy

from chat.conversations.services import require_writer
from chat.projects.selectors import projects_of
from files.knowledge.models import KnowledgeFile
from files.missing_text import reason_in_words
from files.models import File
from files.services import file_upload
from files.sniffing import text_content
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import Conflict, NotFound


class FileNotAttachable(Conflict):
    """The project has no text of the file, or not all of it."""

    code = "file_not_attachable"
    message = gettext_lazy("This file is still being read. Try again in a moment.")


def project_file_attach(*, actor: Actor, project_id: UUID, file_id: UUID) -> File:
    """Store a copy of the project's file for the actor's next message. Opens its own transactions.

    Of a document the project has the text alone, so the copy is a text file, whose name ends in `.txt`. The text of a PDF may have control
    characters, which text files may not have; they are left out.
    Raises NotAllowed, NotFound, FileNotAttachable, and what `file_upload` raises.
    """
    with tenant_tx(actor.organization_id):
        actor = require_writer(actor)
        file = KnowledgeFile.objects.filter(pk=file_id, project_id__in=projects_of(actor).filter(pk=project_id).values("pk")).first()
    if file is None:
        raise NotFound
    _check(file)
    name = file.path if file.kind == "text" else f"{file.path}.txt"
    return file_upload(actor=actor, name=name, content=text_content(file.text))


def _check(file: KnowledgeFile) -> None:
    if file.state == KnowledgeFile.State.PENDING:
        raise FileNotAttachable(action="retry")
    if file.state == KnowledgeFile.State.FAILED:
        raise FileNotAttachable(reason_in_words(file.reason))
    if file.text_cut:
        raise FileNotAttachable(gettext("The project has only the beginning of this file. Attach the file itself."))
