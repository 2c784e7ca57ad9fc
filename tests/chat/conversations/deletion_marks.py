"""A conversation that leaves a marker wherever one can, and the places where it is searched for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db.models.functions import Now
from pytest_django import Settings

from artifacts.anchors import Anchor
from artifacts.models import Artifact, Version
from artifacts.services import NewSuggestion, NewVersion, artifact_create, suggestions_add
from chat.conversations.purging import deleted_purge
from chat.models import Approval, Conversation, ModelCall, OpenText, PromptSnapshot, Run, RunInput
from doubles.script import Text
from files.models import File
from tenants.context import tenant_tx
from tests.chat.providers.test_files import attached, message
from tests.security.secrets.canary import database_text, delete_redis_keys, places_with, redis_text
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace, allow_egress, make_workspace

MARK = "Marker-Quokka-71b3"
THEIRS = "Marker-Wombat-90aa"  # of the second organization, where the first one's marker is planted, too
Places = Callable[[str], list[str]]


@pytest.fixture
def places(settings: Settings, tmp_path: Path) -> Places:
    """Where a text is found: in the tables, in Redis, on disk. Files lie on a real disk."""
    settings.STORAGES = {
        **settings.STORAGES,
        "files": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}},
    }

    delete_redis_keys()  # of ended runs of other tests, which stay for a minute

    def search(text: str) -> list[str]:
        disk = {f"disk {path.relative_to(tmp_path)}": path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        return places_with(text, {**database_text(), **redis_text(), **disk})

    return search


@pytest.fixture
def other(cast: Cast, acme: Workspace, gemini: ServedGemini) -> Iterator[Workspace]:
    with allow_egress(gemini.base_url):
        yield make_workspace(cast.other, gemini)


async def talk(browser: Browser, workspace: Workspace, mark: str) -> UUID:
    """Have a conversation that leaves the marker wherever one can."""
    slug, chat_id = workspace.organization.slug, uuid4()
    workspace.double.answer(Text(f"About {mark}."))
    note = await attached(browser, f"{mark}.txt", f"A note of {mark}.".encode(), slug)
    async with chat_socket(browser, slug) as socket:
        request = await socket.frame(
            "send", id=str(chat_id), trigger="submit-message", messages=[message(f"Tell me of {mark}", note)], headers={}, body={}
        )
        await socket.chunks(request)
    await sync_to_async(_leave)(workspace.organization.pk, chat_id, mark)
    return chat_id


def _leave(organization_id: UUID, chat_id: UUID, mark: str) -> None:
    with tenant_tx(organization_id):
        conversation = Conversation.objects.get(pk=chat_id)
        Conversation.objects.filter(pk=chat_id).update(title=f"On {mark}")
        run = Run.objects.get(conversation=conversation)
        Run.objects.filter(pk=run.pk).update(page_state={"place": mark}, request_overrides={"instructions": mark})
        OpenText.objects.create(run=run, epoch=9, number=1, position=0, parts=[mark])
        RunInput.objects.create(run=run, kind="message", content={"text": mark})
        Approval.objects.create(
            run=run, approval_id=uuid4(), step=0, call_id=mark, tool_name="x", arguments_hash="0", reason=mark, expires_at=Now()
        )
        prompt = PromptSnapshot.objects.create(content_hash=mark.ljust(64, "0"), content={"system": mark})
        ModelCall.objects.filter(run=run).update(own_entries=[mark], prompt_hash=prompt.content_hash)
        new = NewVersion(content=mark, operation=Version.Operation.CREATE, author_kind=Version.AuthorKind.AGENT)
        version = artifact_create(conversation_id=chat_id, owner_id=conversation.owner_id, title=mark, kind="text", version=new)
        item = NewSuggestion(anchor=Anchor(original=mark, prefix="", suffix="", start=0), replacement=mark)
        suggestions_add(artifact=version.artifact, version_number=1, call_id="c", run_id=run.pk, items=[item])


def age(organization_id: UUID, days: int) -> None:
    """Let everything that was deleted have been deleted so long ago."""
    with tenant_tx(organization_id):
        for model in (Conversation, Artifact, File):
            model.objects.exclude(deleted_at=None).update(deleted_at=Now() - timedelta(days=days))


def purge(workspace: Workspace) -> dict[str, int]:
    return deleted_purge(organization_id=workspace.organization.pk, until=time.monotonic() + 60).as_dict()


async def delete_chat(browser: Browser, workspace: Workspace, chat_id: UUID) -> None:
    assert (await browser.call("DELETE", f"/o/{workspace.organization.slug}/api/conversations/{chat_id}/")).status_code == 204
