"""A conversation with everything that a link must not show, and links to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.test import Client
from django.utils import timezone

from admin_config.models import Release
from agents.entry_codec import entry_encode
from agents.messages import (
    ArtifactReference,
    AssistantText,
    Entry,
    File,
    Notice,
    Reasoning,
    Reminder,
    ToolCall,
    ToolResult,
    UserMessage,
)
from artifacts.models import Artifact
from chat.models import Conversation, Message, Part, Run
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.models import User
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation
from tests.support.accounts.cast import Cast

PRIVATE = ("wonder whether", "secret-argument", "secret-result", "secret-reminder", "secret-notice", "lanes_2026", "bob@example.org")


@dataclass(frozen=True)
class Talk:
    """Bob's conversation: a question with a file, and an answer that used a tool and wrote a document."""

    actor: Actor
    id: UUID
    artifact: Artifact
    answer: Message

    def target(self) -> dict[str, Any]:
        return {"of": "conversation", "targetId": str(self.id)}

    def document(self) -> dict[str, Any]:
        return {"of": "artifact", "targetId": str(self.artifact.pk)}

    def say(self, text: str, *, answer: str = "Noted.") -> Message:
        """Go on with the conversation."""
        with tenant_tx(self.actor.organization_id):
            conversation = Conversation.objects.get(pk=self.id)
            question = add_message(conversation, "user", conversation.head, UserMessage(text))
            return add_message(conversation, "assistant", question, AssistantText(answer))


def make_talk(cast: Cast, user: User, title: str = "Freight brief") -> Talk:
    actor = cast.actor(user)
    conversation_id = make_conversation(cast, user, title=title)
    artifact = make_artifact(actor, "# Book January\n\n<b>now</b>\n", conversation_id=conversation_id, title="Brief for Jonas").artifact
    with tenant_tx(actor.organization_id):
        conversation = Conversation.objects.get(pk=conversation_id)
        question = add_message(
            conversation,
            "user",
            None,
            File(str(uuid4()), "lanes_2026.xlsx", "application/vnd.ms-excel", 12, source=""),
            UserMessage("How did **rates** move?\nIn euros. <script>alert(1)</script>"),
        )
        answer = add_message(
            conversation,
            "assistant",
            question,
            Reasoning("I wonder whether"),
            ToolCall("call-1", "web_search", {"query": "secret-argument"}),
            ToolResult("call-1", "web_search", "secret-result"),
            Reminder("secret-reminder"),
            AssistantText(
                "They *fell*. [Source](https://example.org/rates) and [bad](javascript:alert(1)) ![chart](https://example.org/x.png)"
            ),
            ArtifactReference(str(artifact.pk), "Brief for Jonas", "text", 1, "create", "call-2"),
            AssistantText("```py\nprint('<b>')\n```"),
            Notice("error", "secret-notice"),
        )
    return Talk(actor, conversation_id, artifact, answer)


def add_message(conversation: Conversation, role: str, parent: Message | None, *entries: Entry) -> Message:
    message = Message.objects.create(conversation=conversation, role=role, parent=parent)
    for position, entry in enumerate(entries):
        kind, content, extras = entry_encode(entry)
        Part.objects.create(message=message, position=position, kind=kind, content=content, extras=extras)
    conversation.head = message
    conversation.save(update_fields=["head"])
    return message


def unfinished_run(answer: Message) -> Run:
    """Let the answer be one that is still being written."""
    assert answer.parent is not None
    release = Release.objects.create(number=900, content={}, content_hash="")
    run = Run.objects.create(
        conversation=answer.conversation,
        question=answer.parent,
        answer=answer,
        release=release,
        model_config_id=uuid4(),
        status=Run.Status.THINKING,
        lease_expires_at=timezone.now(),
    )
    Message.objects.filter(pk=answer.pk).update(run=run)
    return run


def path_of(link: dict[str, Any]) -> str:
    return "/s/" + str(link["url"]).split("/s/")[1]


def open_link(client: Client, link: dict[str, Any]) -> Any:
    return client.get(path_of(link), headers={"Accept": "text/html"})


def stop_links(client: Client) -> None:
    for item in client.get("/o/acme/api/shares/").json()["items"]:
        assert client.delete(f"/o/acme/api/shares/{item['id']}/").status_code == 204
