"""The document tool on the real path: engine, Google's SDK on its wire, PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import httpx2
import pytest

from admin_config.release import AgentSnapshot
from agents.artifact_agents.rules import DOCUMENTS
from agents.artifact_agents.store import DatabaseArtifactStore
from agents.artifact_agents.tool import ArtifactTool
from agents.engine.ports import ToolContext
from agents.providers.connection import Connection
from agents.providers.registry import language_model
from doubles.script import Fault, Text
from doubles.signals import Gate
from security.secrets.secret_text import SecretText
from tests.agents.artifact_agents.fakes import RecordingJournal, arguments, artifact_agent, artifact_tool
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini
from tests.support.chat.conversations import conversation_row
from tests.support.suite.network import NO_TRUST

MODEL = "gemini-2.5-flash"


@pytest.fixture
def store(cast: Cast) -> DatabaseArtifactStore:
    alice = cast.actor(cast.alice)
    chat = conversation_row(organization_id=alice.organization_id, owner_id=alice.membership_id)
    return DatabaseArtifactStore(organization_id=alice.organization_id, author_id=alice.membership_id, conversation_id=chat, run_id=uuid4())


@asynccontextmanager
async def document_tool(double: ServedGemini, store: DatabaseArtifactStore, agent: AgentSnapshot) -> AsyncIterator[ArtifactTool]:
    async with httpx2.AsyncClient(verify=NO_TRUST) as http:
        connection = Connection(base_url=double.base_url, http=http, api_version="v1beta", key=SecretText(double.key), timeout_s=5)
        yield artifact_tool(lambda call_id: language_model("google", connection), agent=agent, store=store, model_name=MODEL)


def agent_with_prompt(prompt: str, template: str) -> AgentSnapshot:
    agent = artifact_agent(DOCUMENTS)
    update = agent.operations["update"].model_copy(update={"system_prompt": prompt, "user_prompt_template": template})
    return agent.model_copy(update={"operations": {**agent.operations, "update": update}})


async def test_a_document_is_written_and_changed(gemini: ServedGemini, store: DatabaseArtifactStore) -> None:
    gemini.answer(Text("# Tea\n\nGreen 🍵 tea."))
    gemini.answer(Text("# Tea\n\nBlack tea."))
    journal = RecordingJournal()
    async with document_tool(gemini, store, artifact_agent(DOCUMENTS)) as tool:
        create_outcome = await tool.run(arguments(), ToolContext("call-1", journal))
        assert journal.panel == {create_outcome.output["id"]: "# Tea\n\nGreen 🍵 tea."}
        update_outcome = await tool.run(arguments("update", artifact_id=create_outcome.output["id"]), ToolContext("call-2", journal))
    assert update_outcome.output == {**create_outcome.output, "version": 2, "operation": "update"}
    assert gemini.requests[1].user_text == "# Tea\n\nGreen 🍵 tea. / Write about tea."
    latest = await store.load(create_outcome.output["id"])
    assert latest is not None
    assert (latest.content, latest.parent) == ("# Tea\n\nBlack tea.", 1)


@pytest.mark.parametrize(
    ("prompt", "template", "expected"),
    [
        ("Change only what is asked.", "{current_content} / {instruction}", "Old. / Write about tea."),
        ("Answer in French.", "{title}: {instruction} -> {current_content}", "Tea: Write about tea. -> Old."),
    ],
)
async def test_what_an_admin_writes_into_an_operation_is_what_the_model_receives(
    gemini: ServedGemini, store: DatabaseArtifactStore, prompt: str, template: str, expected: str
) -> None:
    gemini.default(Text("Old."))
    journal = RecordingJournal()
    async with document_tool(gemini, store, agent_with_prompt(prompt, template)) as tool:
        create_outcome = await tool.run(arguments(), ToolContext("call-1", journal))
        await tool.run(arguments("update", artifact_id=create_outcome.output["id"]), ToolContext("call-2", journal))
    create, update = gemini.requests
    assert prompt in update.system_text
    assert prompt not in create.system_text
    assert update.user_text == expected


async def test_stopping_closes_the_providers_connection_and_keeps_a_draft(gemini: ServedGemini, store: DatabaseArtifactStore) -> None:
    gate = Gate()
    gemini.answer(Text("Half a text"), gate, Text(" and the rest"))
    journal = RecordingJournal()
    async with document_tool(gemini, store, artifact_agent(DOCUMENTS)) as tool:
        task = asyncio.create_task(tool.run(arguments(), ToolContext("call-1", journal)))
        await gate.reached.wait_async()
        await journal.wait_for_text("Half a text")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await gemini.requests[0].disconnected.wait_async()
    draft = await store.version_of_call("call-1")
    assert draft is not None
    assert (draft.content, draft.is_draft, draft.number) == ("Half a text", True, 1)
    assert [(reference.status, reference.version) for reference in journal.references()] == [("stopped", 1)]


async def test_an_answer_that_the_provider_cuts_is_kept_as_a_draft(gemini: ServedGemini, store: DatabaseArtifactStore) -> None:
    gemini.answer(Text("Half a text"), Fault.cut())
    async with document_tool(gemini, store, artifact_agent(DOCUMENTS)) as tool:
        outcome = await tool.run(arguments(), ToolContext("call-1", RecordingJournal()))
    assert outcome.is_error
    assert "kept as a draft: version 1" in outcome.output
    draft = await store.version_of_call("call-1")
    assert draft is not None
    assert (draft.content, draft.is_draft) == ("Half a text", True)
