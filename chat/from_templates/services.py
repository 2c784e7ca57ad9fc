"""Makes an artifact from a template. Needs the organization's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.utils.translation import gettext

from agents.entry_codec import entry_encode
from agents.messages import ArtifactReference, AssistantText, Entry, UserMessage
from artifacts.models import Version
from artifacts.services import NewVersion, artifact_create
from chat.conversations.selectors import conversation_get_for_user
from chat.conversations.services import conversation_create, require_writer
from chat.models import Conversation, Message, Part
from gallery.models import TemplateKind
from gallery.services import template_fill
from gallery.shapes import FilledTemplate
from tenants.access import Actor
from tenants.errors import BadRequest


def template_use(*, actor: Actor, template_id: UUID, values: Mapping[str, str] | None, conversation_key: str | None) -> Version:
    """Return the first version of the new artifact. Without a conversation a new one begins with it.

    Raises NotAllowed, NotFound (template and conversation), and BadRequest for a prompt and for values that don't fit.
    """
    actor = require_writer(actor)
    template = template_fill(actor=actor, template_id=template_id, values=values)
    if template.kind == TemplateKind.PROMPT:
        raise BadRequest(gettext("A prompt goes into the message box. Ask for its text instead."))
    if conversation_key is not None:
        return _artifact(actor, template, conversation_get_for_user(actor=actor, key=conversation_key))
    conversation = conversation_create(actor=actor, title=template.title)
    version = _artifact(actor, template, conversation)
    _begin(conversation, template, version)
    return version


def _artifact(actor: Actor, template: FilledTemplate, conversation: Conversation) -> Version:
    create = Version.Operation.CREATE
    new = NewVersion(content=template.text, operation=create, author_kind=Version.AuthorKind.USER, author_id=actor.membership_id)
    return artifact_create(
        conversation_id=conversation.pk, owner_id=actor.membership_id, title=template.title, kind=template.kind, version=new
    )


def _begin(conversation: Conversation, template: FilledTemplate, version: Version) -> None:
    """Store what was asked for and what was made, so that the chat shows it and models that want a question first get one.

    Both are in the language of the member who begins, like all that they write themselves.
    """
    question = _message(
        conversation, None, Message.Role.USER, UserMessage(gettext("Start “%(title)s” from a template.") % {"title": template.title})
    )
    reference = ArtifactReference(str(version.artifact_id), template.title, template.kind, version.number, version.operation, call_id="")
    ready = AssistantText(gettext("Here it is. Tell me what to change, or edit it yourself."), from_caller=True)
    conversation.head = _message(conversation, question, Message.Role.ASSISTANT, reference, ready)
    conversation.save(update_fields=["head"])


def _message(conversation: Conversation, parent: Message | None, role: Message.Role, *entries: Entry) -> Message:
    message = Message.objects.create(conversation=conversation, role=role, parent=parent)
    rows = [entry_encode(entry) for entry in entries]
    Part.objects.bulk_create(
        Part(message=message, position=position, kind=kind, content=content, extras=extras)
        for position, (kind, content, extras) in enumerate(rows)
    )
    return message
