from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.artifact_agents.rules import DOCUMENTS
from agents.errors import AnswerCut, ToolFailed
from agents.messages import FinishReason, Notice, UserMessage
from tests.agents.artifact_agents.fakes import ConversationFixture, MemoryStore, ScriptedModel, arguments, artifact_agent, artifact_tool


async def test_a_new_document_streams_into_the_panel_and_returns_metadata_only() -> None:
    desk = ConversationFixture()
    outcome = await desk.call(ScriptedModel("# Tea\n", "Green."), arguments())
    artifact_id = desk.store.new_id("call-1")
    assert outcome.output == {"id": artifact_id, "title": "Tea", "kind": "text", "version": 1, "operation": "create"}
    assert not outcome.is_error
    assert [(e.status, e.version, e.call_id) for e in outcome.entries] == [("ready", 1, "call-1")]
    assert desk.journal.statuses() == ["streaming", "ready"]
    assert desk.journal.panel == {artifact_id: "# Tea\nGreen."}
    assert [version.content for version in desk.store.all()] == ["# Tea\nGreen."]
    assert desk.journal.entries == []


async def test_the_user_is_told_once_that_another_endpoint_wrote_it() -> None:
    desk, notice = ConversationFixture(), Notice("fallback", "Main could not answer, so Backup did.")
    first_outcome = await desk.call(ScriptedModel("# Tea", notice=notice.text), arguments())
    await desk.journal.append(*first_outcome.entries)
    second_outcome = await desk.call(ScriptedModel("# Tea", notice=notice.text), arguments(), "call-2")
    assert [[entry for entry in outcome.entries if isinstance(entry, Notice)] for outcome in (first_outcome, second_outcome)] == [
        [notice],
        [],
    ]


async def test_offsets_count_utf16_code_units() -> None:
    desk = ConversationFixture()
    await desk.call(ScriptedModel("a😀", "é", "b"), arguments())
    deltas = [part for part in desk.journal.parts if part.name == "artifact-delta"]
    assert [part.data["at"] for part in deltas] == [0, 3, 4]
    assert all(part.transient for part in deltas)
    assert list(desk.journal.panel.values()) == ["a😀éb"]


async def test_an_update_starts_from_the_latest_version_and_names_it_as_parent() -> None:
    desk = ConversationFixture()
    artifact_id = await desk.write_artifact("Old text.")
    model = ScriptedModel("New text.")
    outcome = await desk.call(model, arguments("update", artifact_id=artifact_id), "call-2")
    assert model.requests[0].entries == (UserMessage("Old text. / Write about tea."),)
    assert outcome.output == {"id": artifact_id, "title": "Tea", "kind": "text", "version": 2, "operation": "update"}
    assert [(v.number, v.parent, v.content) for v in desk.store.all()] == [(1, None, "Old text."), (2, 1, "New text.")]


async def test_the_prompt_of_agent_and_operation_and_the_settings_reach_the_model() -> None:
    model = ScriptedModel("Text.")
    await ConversationFixture().call(model, arguments())
    (request,) = model.requests
    assert str(request.system) == "You write documents.\n\nCreate well."
    assert (request.model, request.settings.temperature, request.tools) == ("gemini-test", 0.5, ())


async def test_placeholders_in_the_users_text_are_left_alone() -> None:
    desk = ConversationFixture()
    artifact_id = await desk.write_artifact("Body {instruction} {title} {0} {{x}}")
    model = ScriptedModel("Text.")
    tool_arguments = arguments("update", artifact_id=artifact_id, instruction="Keep {current_content} and {title.__class__}")
    await desk.call(model, tool_arguments, "call-2")
    expected = "Body {instruction} {title} {0} {{x}} / Keep {current_content} and {title.__class__}"
    assert model.requests[0].entries == (UserMessage(expected),)


async def test_a_repeated_call_returns_the_stored_version_without_asking_the_model() -> None:
    desk = ConversationFixture()
    first = await desk.call(ScriptedModel("Text."), arguments())
    model = ScriptedModel("Other text.")
    again = await desk.call(model, arguments())
    assert again == first
    assert model.requests == []
    assert len(desk.store.all()) == 1


async def test_stopping_keeps_a_draft_and_goes_on() -> None:
    desk = ConversationFixture()
    model = ScriptedModel("Half a ", "text", hangs=True)
    task = asyncio.create_task(desk.call(model, arguments()))
    await model.has_streamed.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.is_closed
    assert [(v.content, v.is_draft, v.number) for v in desk.store.all()] == [("Half a text", True, 1)]
    assert [(r.status, r.version) for r in desk.journal.references()] == [("stopped", 1)]


async def test_suggestions_that_were_interrupted_are_not_told_as_all_of_them() -> None:
    desk = ConversationFixture()
    tool_arguments = arguments("suggestion", artifact_id=await desk.write_artifact("Tea is good. Milk is bad."))
    model = ScriptedModel('{"original": "good", "replacement": "hot"}', hangs=True)
    task = asyncio.create_task(desk.call(model, tool_arguments, "call-2"))
    await model.has_streamed.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    again = await desk.call(ScriptedModel("never asked"), tool_arguments, "call-2")
    assert again.output["suggestions"] == 1
    assert "interrupted after 1" in again.output["note"]


async def test_stopping_before_the_first_word_keeps_nothing() -> None:
    desk = ConversationFixture()
    model = ScriptedModel(hangs=True)
    task = asyncio.create_task(desk.call(model, arguments()))
    await model.has_streamed.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert desk.store.all() == []
    assert [(r.status, r.version) for r in desk.journal.references()] == [("stopped", None)]


class SlowStore(MemoryStore):
    """A store whose saves wait for `may_save`."""

    def __init__(self) -> None:
        super().__init__()
        self.is_saving = asyncio.Event()
        self.may_save = asyncio.Event()

    async def save(self, version: Any) -> Any:
        self.is_saving.set()
        await self.may_save.wait()
        return await super().save(version)


async def test_a_stop_while_the_finished_text_is_stored_does_not_make_a_draft_of_it() -> None:
    desk = ConversationFixture()
    desk.store = store = SlowStore()
    task = asyncio.create_task(desk.call(ScriptedModel("Whole text"), arguments()))
    await store.is_saving.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    store.may_save.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [(v.content, v.is_draft) for v in store.all()] == [("Whole text", False)]
    assert [(r.status, r.version) for r in desk.journal.references()] == [("ready", 1)]


async def test_a_cut_answer_keeps_a_draft_and_tells_the_model_so() -> None:
    desk = ConversationFixture()
    outcome = await desk.call(ScriptedModel("Half", error=AnswerCut("The answer ended early.")), arguments())
    assert outcome.is_error
    draft_note = f"What was written so far is kept as a draft: version 1 of {desk.store.new_id('call-1')}."
    assert outcome.output == f"The answer ended early. {draft_note}"
    assert desk.journal.statuses() == ["streaming", "failed"]
    assert [(e.status, e.version) for e in outcome.entries] == [("failed", 1)]
    assert [(v.content, v.is_draft) for v in desk.store.all()] == [("Half", True)]


@pytest.mark.parametrize(("finish", "word"), [(FinishReason.LENGTH, "length"), (FinishReason.CONTENT_FILTER, "filter")])
async def test_a_text_that_the_provider_ended_is_a_draft(finish: FinishReason, word: str) -> None:
    desk = ConversationFixture()
    outcome = await desk.call(ScriptedModel("Half", finish=finish), arguments())
    assert outcome.is_error
    assert word in outcome.output
    assert [v.is_draft for v in desk.store.all()] == [True]


@pytest.mark.parametrize("texts", [(), ("  \n",), ("```markdown\n```",)])
async def test_an_empty_answer_is_a_failure_and_makes_no_artifact(texts: tuple[str, ...]) -> None:
    desk = ConversationFixture()
    outcome = await desk.call(ScriptedModel(*texts), arguments())
    assert outcome.is_error
    assert "without any text" in outcome.output
    assert desk.store.all() == []
    assert [e.status for e in outcome.entries] == ["failed"]


async def test_a_call_taken_over_from_a_stopped_process_finishes_the_same_artifact() -> None:
    desk = ConversationFixture()
    await desk.call(ScriptedModel("Half", error=AnswerCut("Cut.")), arguments())
    outcome = await desk.call(ScriptedModel("Whole"), arguments())
    assert outcome.output["version"] == 2
    drafts = [(v.artifact_id, v.content, v.parent, v.is_draft) for v in desk.store.all()]
    artifact_id = desk.store.new_id("call-1")
    assert drafts == [(artifact_id, "Half", None, True), (artifact_id, "Whole", 1, False)]


async def test_an_update_taken_over_starts_again_from_the_version_it_began_with() -> None:
    desk = ConversationFixture()
    tool_arguments = arguments("update", artifact_id=await desk.write_artifact("Old."))
    await desk.call(ScriptedModel("Half", error=AnswerCut("Cut.")), tool_arguments, "call-2")
    model = ScriptedModel("New.")
    await desk.call(model, tool_arguments, "call-2")
    assert model.requests[0].entries == (UserMessage("Old. / Write about tea."),)
    assert [(v.number, v.parent, v.is_draft) for v in desk.store.all()] == [(1, None, False), (2, 1, True), (3, 1, False)]


async def test_a_fence_around_the_whole_answer_is_taken_off_for_viewers_too() -> None:
    desk = ConversationFixture()
    await desk.call(ScriptedModel("```markdown\n# Tea\n", "```py\nx\n```\n", "```"), arguments())
    assert [v.content for v in desk.store.all()] == ["# Tea\n```py\nx\n```\n"]
    assert list(desk.journal.panel.values()) == ["# Tea\n```py\nx\n```\n"]


@pytest.mark.parametrize(
    ("tool_arguments", "words"),
    [
        ({"operation": "create", "instruction": "x"}, "needs a title"),
        ({"operation": "update", "instruction": "x"}, "needs the artifact_id"),
        ({"operation": "create", "title": "T", "instruction": "  "}, "needs an instruction"),
        ({"operation": "erase", "instruction": "x"}, "no operation"),
        ({"operation": "update", "instruction": "x", "artifact_id": "nothing-like-it"}, "has none yet"),
    ],
)
async def test_wrong_arguments_are_told_to_the_model_and_open_no_panel(tool_arguments: dict[str, Any], words: str) -> None:
    desk = ConversationFixture()
    with pytest.raises(ToolFailed, match=words):
        await desk.call(ScriptedModel("Text."), tool_arguments)
    assert desk.journal.parts == []


async def test_an_unknown_id_is_answered_with_the_documents_of_the_conversation() -> None:
    desk = ConversationFixture()
    artifact_id = await desk.write_artifact("Text.")
    with pytest.raises(ToolFailed, match=f'"Tea" \\({artifact_id}\\)'):
        await desk.call(ScriptedModel("x"), arguments("update", artifact_id="other"), "call-2")


async def test_an_operation_that_is_switched_off_is_neither_offered_nor_run() -> None:
    operations = {"create": artifact_agent(DOCUMENTS).operations["create"].model_copy(update={"is_enabled": False})}
    desk = ConversationFixture()
    with pytest.raises(ToolFailed, match="switched off"):
        await desk.call(ScriptedModel("x"), arguments(), operations=operations)


def test_the_definition_is_the_admins_description_and_the_enabled_operations() -> None:
    operations = {name: operation for name, operation in artifact_agent(DOCUMENTS).operations.items() if name == "update"}
    tool = artifact_tool(ScriptedModel(), description="Our writer.", operations=operations)
    assert tool.definition.name == "document_agent"
    assert tool.definition.description == "Our writer."
    assert tool.definition.input_schema["properties"]["operation"]["enum"] == ["update"]
    assert set(tool.definition.input_schema["properties"]) == {"operation", "instruction", "artifact_id"}
    assert tool.traits.repeatable


def test_runs_share_a_definition_only_when_it_says_the_same() -> None:
    fewer = {name: operation for name, operation in artifact_agent(DOCUMENTS).operations.items() if name == "update"}
    ours, same = [artifact_tool(ScriptedModel(), description="Our writer.") for _ in range(2)]
    theirs = artifact_tool(ScriptedModel(), description="Their writer.")
    updating = artifact_tool(ScriptedModel(), description="Our writer.", operations=fewer)
    assert ours.definition is same.definition
    assert theirs.definition.description == "Their writer."
    assert updating.definition.input_schema != ours.definition.input_schema


@pytest.mark.parametrize("ask_first", [True, False])
def test_the_user_is_asked_before_a_call_where_the_admin_wants_it(ask_first: bool) -> None:
    assert artifact_tool(ScriptedModel(), ask_first=ask_first).traits.needs_approval is ask_first
