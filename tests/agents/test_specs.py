"""What admins tune reaches the engine's own types."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.defaults.prices import Price
from admin_config.release import AgentSnapshot, ModelSnapshot, StepRuleSnapshot
from agents.context.policy import ContextPolicy
from agents.engine.agent import AgentSpec, CompletionMode, StepRule, ToolPolicy
from agents.messages import ModelRequest, ModelSettings, SystemPrompt, Usage
from agents.runtime.call_recording import CallKind, CallOrigin, CallRecord
from agents.runtime.specs import agent_spec, model_settings, price_of_run, run_budget, with_result_limits
from tests.admin_config.releases.test_release import FLASH, agent, model, release

PROMPT = SystemPrompt("Be kind.")


def flash(**changes: Any) -> ModelSnapshot:
    return model(FLASH, "google", default=True).model_copy(update=changes)


def spec(snapshot: AgentSnapshot) -> AgentSpec:
    return agent_spec(snapshot, flash(), system=PROMPT, thinking=False)


def rule(**settings: Any) -> StepRuleSnapshot:
    blank = {"first": 1, "last": None, "active_tools": None, "tool_choice": None, "max_output_tokens": None, "temperature": None}
    return StepRuleSnapshot(**{**blank, **settings})


def test_an_untouched_agent_runs_with_the_engines_own_defaults() -> None:
    plain = AgentSpec(
        model="model-1", system=PROMPT, settings=ModelSettings(max_output_tokens=100), context=ContextPolicy(window_tokens=1000)
    )
    assert spec(agent(CHAT_AGENT)) == plain


@pytest.mark.parametrize(
    ("tuning", "field", "value"),
    [
        ({"tool_policy": "single"}, "tool_policy", ToolPolicy.SINGLE),
        ({"completion": "message_tool"}, "completion", CompletionMode.MESSAGE_TOOL),
        ({"max_reminders": 0}, "max_reminders", 0),
        ({"max_equal_calls": 2}, "max_equal_calls", 2),
        ({"active_tools": ("message",)}, "active_tools", frozenset({"message"})),
        ({"hidden_tools": ("document_agent",)}, "hidden_tools", frozenset({"document_agent"})),
        ({"stop_on_tool_call": ("document_agent",)}, "stop_on_tool_call", frozenset({"document_agent"})),
        ({"max_steps": 9}, "max_steps", 9),
    ],
)
def test_a_tuned_field_reaches_the_engine(tuning: dict[str, Any], field: str, value: object) -> None:
    assert getattr(spec(agent(CHAT_AGENT, **tuning)), field) == value


def test_sampling_reaches_the_model_call() -> None:
    sampling: dict[str, Any] = {
        "temperature": 0.0,
        "top_p": 0.5,
        "top_k": 10,
        "presence_penalty": 0.1,
        "frequency_penalty": -0.1,
        "seed": 7,
        "stop_sequences": ("END",),
        "tool_choice": "required",
    }
    settings = model_settings(agent(CHAT_AGENT, **sampling), flash(), thinking=False)
    assert settings == ModelSettings(max_output_tokens=100, **sampling)


def test_a_model_that_calls_no_tools_answers_in_plain_text() -> None:
    tuned_agent = agent(CHAT_AGENT, completion="message_tool", tool_choice="required")
    plain = agent_spec(tuned_agent, flash(supports_tools=False), system=PROMPT, thinking=False)
    assert (plain.completion, plain.settings.tool_choice) == (CompletionMode.PLAIN_TEXT, "auto")


def test_shares_of_the_window_and_pruning_reach_the_context() -> None:
    tuning = {"compact_at_percent": 60, "tail_percent": 10, "guard_percent": 80, "prune_reasoning": "all"}
    context = spec(agent(CHAT_AGENT, **tuning, prune_tool_calls="before_last_message", prune_tools={"message": "none"})).context
    assert context == ContextPolicy(
        window_tokens=1000,
        compact_at=0.6,
        tail=0.1,
        guard_at=0.8,
        prune_reasoning="all",
        prune_tool_calls="before_last_message",
        prune_tools=(("message", "none"),),
    )


def test_the_results_of_tools_share_what_the_prompt_leaves_free() -> None:
    tuned_spec = agent_spec(agent(CHAT_AGENT), flash(context_window=6000), system=SystemPrompt("word " * 2000), thinking=False)
    same_day, next_day = (
        with_result_limits(replace(tuned_spec, system=SystemPrompt(str(tuned_spec.system), day)), ()) for day in ("1 May", "10 May")
    )
    assert (same_day.context.max_result_tokens, same_day.context.max_step_result_tokens) == (860, 1720)
    assert same_day.context == next_day.context


def test_the_first_rule_that_holds_wins() -> None:
    rules = (rule(first=2, last=2, temperature=0.0), rule(first=1, last=3, tool_choice="none", active_tools=("message",)))
    tuned_spec = spec(agent(CHAT_AGENT, temperature=1.0, step_rules=rules))
    assert tuned_spec.step_rules[0] == StepRule(first=2, last=2, temperature=0.0)
    step_settings = [
        (tuned_spec.at_step(step).settings.temperature, tuned_spec.at_step(step).settings.tool_choice) for step in (1, 2, 3, 4)
    ]
    assert step_settings == [(1.0, "none"), (0.0, "auto"), (1.0, "none"), (1.0, "auto")]
    assert tuned_spec.at_step(3).active_tools == frozenset({"message"})


def test_a_rule_asks_no_more_of_a_model_than_it_can_write() -> None:
    tuned_spec = spec(agent(CHAT_AGENT, step_rules=(rule(max_output_tokens=5000),)))
    assert tuned_spec.at_step(1).settings.max_output_tokens == 100


USAGE = Usage(input_tokens=1_000_000, cached_tokens=400_000, cache_write_tokens=100_000, output_tokens=200_000, thinking_tokens=100_000)


@pytest.mark.parametrize(
    ("prices", "cost"),
    [
        ((), None),
        ((Price(),), None),
        ((Price(input_usd=1, output_usd=10),), 1.0 + 3.0),
        ((Price(input_usd=1, output_usd=10, cached_usd=0.1),), 0.6 + 0.04 + 3.0),
        ((Price(input_usd=1, output_usd=10, cache_write_usd=2),), 0.9 + 0.2 + 3.0),
        ((Price(input_usd=1, output_usd=10, thinking_usd=0),), 1.0 + 2.0),
        ((Price(input_usd=0, output_usd=0),), 0.0),
        ((Price(input_usd=9, output_usd=9), Price(input_usd=1, output_usd=10, above_tokens=999_999)), 1.0 + 3.0),
        ((Price(input_usd=1, output_usd=10), Price(input_usd=9, output_usd=9, above_tokens=1_000_000)), 1.0 + 3.0),
    ],
)
def test_a_call_costs_its_tokens_at_the_models_prices(prices: tuple[Price, ...], cost: float | None) -> None:
    snapshot = release(agent(CHAT_AGENT), models=(flash(prices=prices),))
    price = run_budget(snapshot.agent(CHAT_AGENT), snapshot).price
    assert price is not None
    assert price("model-1", USAGE) == (None if cost is None else pytest.approx(cost))
    assert price("unknown", USAGE) is None


@pytest.mark.parametrize(
    ("prices", "usage", "cost"),
    [
        ({"search_usd": 10}, Usage(searches=3), 0.03),
        ({}, Usage(searches=1), None),
        ({"picture_usd": 0.04}, Usage(pictures=2), 0.08),
        ({}, Usage(input_tokens=1_000_000, pictures=1), None),
        ({"image_usd": 30}, Usage(output_tokens=1_000_000, image_tokens=400_000), 6.0 + 12.0),
        ({}, Usage(output_tokens=1_000_000, image_tokens=400_000), 10.0),
    ],
)
def test_searches_and_pictures_cost_what_is_known_and_are_never_free(prices: dict[str, float], usage: Usage, cost: float | None) -> None:
    snapshot = release(agent(CHAT_AGENT), models=(flash(prices=(Price(input_usd=1, output_usd=10, **prices),)),))
    price = run_budget(snapshot.agent(CHAT_AGENT), snapshot).price
    assert price is not None
    assert price("model-1", usage) == (None if cost is None else pytest.approx(cost))


def test_limits_count_the_tokens_of_a_call_whose_searches_have_no_price() -> None:
    snapshot = release(agent(CHAT_AGENT), models=(flash(prices=(Price(input_usd=1, output_usd=10),)),))
    budget = run_budget(snapshot.agent(CHAT_AGENT), snapshot)
    assert budget.price is not None
    call = CallRecord(
        origin=CallOrigin(kind=CallKind.STEP, agent_key="chat", provider="google", endpoint=""),
        request=ModelRequest(model="model-1", system=SystemPrompt("", ""), entries=()),
        price=budget.price,
    )
    call.request.meter.usages += [Usage(input_tokens=1_000_000, searches=2), Usage(output_tokens=100_000, pictures=1)]
    call.measure()
    assert call.cost_usd is None
    assert call.counted_usd == pytest.approx(2.0)
    budget.spend("model-1", *call.request.meter.usages)
    budget.spend("a model without a price", Usage(input_tokens=1_000_000))
    assert budget.cost_usd == pytest.approx(2.0)


def test_each_call_has_the_price_of_its_own_day() -> None:
    soon = date(2027, 1, 1)
    prices = (Price(input_usd=1, output_usd=10), Price(input_usd=2, output_usd=20, valid_from=soon))
    snapshot = release(agent(CHAT_AGENT), models=(flash(prices=prices),))
    days = iter([soon - timedelta(days=1), soon])
    price = price_of_run(snapshot.agent(CHAT_AGENT), snapshot, today=lambda: next(days))
    assert [price("model-1", USAGE), price("model-1", USAGE)] == [pytest.approx(4.0), pytest.approx(8.0)]


def test_a_run_that_passed_its_budget_is_over() -> None:
    prices = (Price(input_usd=1, output_usd=10),)
    snapshot = release(agent(CHAT_AGENT, cost_budget_usd=5.0, token_budget=2_000_000), models=(flash(prices=prices),))
    budget = run_budget(snapshot.agent(CHAT_AGENT), snapshot)
    budget.spend("model-1", USAGE)
    assert not budget.is_spent
    budget.spend("model-1", USAGE)
    assert budget.is_spent
