"""What the user might ask next."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from agents.engine.agent import RunBudget
from agents.engine.lifecycle import RunOutcome
from agents.errors import ProviderBusy
from agents.messages import AssistantText, DataPart, Entry, ToolCall, ToolResult, Usage, UserMessage
from agents.plugins.building import MAX_OUTPUT_TOKENS
from agents.plugins.hooks import PluginHooks
from agents.plugins.suggestions import PROMPT, SuggestionsPlugin, SuggestionsSettings, parse_suggestions
from tests.agents.engine.scripted import ScriptedModel, answer
from tests.agents.plugins.scripted import DONE, EXCHANGE, STEP_LIMIT, asking, facts, log_lines, participants

THREE = '["Why do they have tails?", "How old are they?", "Can I see one?"]'


async def parts(
    model: ScriptedModel,
    *entries: Entry,
    settings: SuggestionsSettings = SuggestionsSettings(),  # noqa: B008 - frozen
    budget: RunBudget | None = None,
    outcome: RunOutcome = DONE,
) -> list[DataPart]:
    plugin = SuggestionsPlugin(settings)
    async with aclosing(PluginHooks(participants(plugin, run=facts(*(entries or EXCHANGE)), ask=asking(model, budget)))) as hooks:
        return list(await hooks.finished(outcome))


async def test_up_to_three_suggestions_become_one_kept_part() -> None:
    expected = {"items": ["Why do they have tails?", "How old are they?", "Can I see one?"]}
    assert await parts(ScriptedModel([answer(THREE)])) == [DataPart("suggestions", expected, id="suggestions", transient=False)]


async def test_the_model_is_asked_shortly_about_the_last_exchange_only() -> None:
    model = ScriptedModel([answer(THREE)])
    history = (UserMessage("Old question"), AssistantText("Old answer"), UserMessage("And now?"))
    await parts(model, *history, ToolCall("c1", "t", {}), ToolResult("c1", "t", "raw"), AssistantText("New answer"))
    [request] = model.requests
    [message] = request.entries
    assert request.system.stable == PROMPT
    assert request.tools == ()
    assert request.settings.max_output_tokens == MAX_OUTPUT_TOKENS
    assert isinstance(message, UserMessage)
    assert message.text == ("<exchange>\n<user>And now?</user>\n<assistant>New answer</assistant>\n</exchange>\n\nSuggest at most 3.")


async def test_an_admin_edits_prompt_and_number() -> None:
    model = ScriptedModel([answer(THREE)])
    [part] = await parts(model, settings=SuggestionsSettings(count=1, prompt="In verse, please."))
    assert part.data == {"items": ["Why do they have tails?"]}
    assert model.requests[0].system.stable == "In verse, please."


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('["One?", "Two?"]', ["One?", "Two?"]),
        ('```json\n["One?"]\n```', ["One?"]),
        ('Here you are: ["One?"] Enjoy!', ["One?"]),
        ('{"suggestions": ["One?", "Two?"]}', ["One?", "Two?"]),
        ('[{"text": "One?"}, {"question": "Two?"}, {"x": 1}, 7, null]', ["One?", "Two?"]),
        ('["  One\\n more? ", "One more?", ""]', ["One more?"]),
        (f'["{"long " * 30}?", "One?"]', ["One?"]),  # cut, it would ask something else
        ("- One?\n- Two?", ["One?", "Two?"]),
        ("1. One?\n2) Two?", ["One?", "Two?"]),
        ("[1] One? [2] Two?", []),
        ("I have no idea.", []),
        ("", []),
    ],
)
def test_suggestions_are_found_in_what_models_write(text: str, items: list[str]) -> None:
    assert parse_suggestions(text) == items


async def test_no_suggestions_no_part() -> None:
    assert await parts(ScriptedModel([answer("I have no idea.")])) == []


@pytest.mark.parametrize(
    ("entries", "outcome"),
    [
        (EXCHANGE, STEP_LIMIT),
        ((*EXCHANGE, UserMessage("And?")), DONE),
        ((UserMessage("Hello"),), DONE),
    ],
    ids=["step limit", "no answer yet", "no answer at all"],
)
async def test_without_a_finished_answer_the_model_is_not_asked(entries: tuple[Entry, ...], outcome: RunOutcome) -> None:
    model = ScriptedModel()
    assert await parts(model, *entries, outcome=outcome) == []
    assert model.requests == []


async def test_the_call_is_paid_by_the_run() -> None:
    budget = RunBudget(max_tokens=100)
    await parts(ScriptedModel([answer(THREE)]), budget=budget)
    assert budget.usage == Usage(10, 2)


async def test_a_spent_budget_gives_no_call(caplog: pytest.LogCaptureFixture) -> None:
    model = ScriptedModel()
    assert await parts(model, budget=RunBudget(max_tokens=0)) == []
    assert (model.requests, [line["code"] for line in log_lines(caplog)]) == ([], ["budget_spent"])


async def test_a_busy_provider_costs_the_suggestions_only(caplog: pytest.LogCaptureFixture) -> None:
    assert await parts(ScriptedModel([ProviderBusy("Busy.")])) == []
    assert [(line["event"], line["code"]) for line in log_lines(caplog)] == [("plugin_failed", "provider_busy")]
