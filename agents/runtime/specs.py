"""Converts a release's agent into the engine's data. Pure functions without connections or keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from math import ceil

from admin_config.defaults.prices import utc_today
from admin_config.defaults.providers import PROVIDERS
from admin_config.defaults.wires import WIRES
from admin_config.release import AgentSnapshot, ModelSnapshot, ReleaseSnapshot, StepRuleSnapshot
from agents.context.policy import ContextPolicy
from agents.context.tokens import estimate_prompt
from agents.engine.agent import AgentSpec, CompletionMode, RunBudget, StepRule, ToolPolicy
from agents.engine.ports import Tool
from agents.messages import BuiltinTool, ModelSettings, NativeFileKind, SystemPrompt, Usage
from agents.runtime.provider_options import provider_options, thinking_level

# of what the prompt and the tools leave free of a model's context window
MAX_RESULT_SHARE = 0.25
MAX_STEP_RESULTS_SHARE = 0.5
PROMPT_TOKENS_UNIT = 256  # rounded up to it, so that another date in the prompt cuts no result in another place


def agent_spec(agent: AgentSnapshot, model: ModelSnapshot, *, system: SystemPrompt, thinking: bool) -> AgentSpec:
    """Return the agent as the engine runs it with this model. With a model that can't call tools, it answers in plain text."""
    return AgentSpec(
        model=model.model_id,
        system=system,
        settings=model_settings(agent, model, thinking=thinking),
        max_steps=agent.max_steps,
        tool_policy=ToolPolicy(agent.tool_policy),
        completion=CompletionMode(agent.completion) if model.supports_tools else CompletionMode.PLAIN_TEXT,
        max_reminders=agent.max_reminders,
        max_equal_calls=agent.max_equal_calls,
        active_tools=_names(agent.active_tools),
        hidden_tools=frozenset(agent.hidden_tools),
        stop_on_tool_call=frozenset(agent.stop_on_tool_call),
        step_rules=tuple(_step_rule(rule, model) for rule in agent.step_rules),
        context=_context(agent, model),
    )


def with_result_limits(spec: AgentSpec, tools: Iterable[Tool]) -> AgentSpec:
    """Return the agent with the limits of its tools' results: shares of what the prompt and the tools leave free of the window."""
    prompt = estimate_prompt(spec.system, [tool.definition for tool in tools])
    free = max(spec.context.window_tokens - ceil(prompt / PROMPT_TOKENS_UNIT) * PROMPT_TOKENS_UNIT, 0)
    one, all_of_step = int(free * MAX_RESULT_SHARE), int(free * MAX_STEP_RESULTS_SHARE)
    return replace(spec, context=replace(spec.context, max_result_tokens=one, max_step_result_tokens=all_of_step))


def model_settings(agent: AgentSnapshot, model: ModelSnapshot, *, thinking: bool) -> ModelSettings:
    """Return the settings of a model call.

    Thinking is on only if the user switched it on and the model supports it (SPEC 2.4). Of the built-in tools, those
    that the model supports are kept.
    """
    thinks = thinking and model.supports_thinking
    native_files = _native_files(model)
    return ModelSettings(
        max_output_tokens=_output_limit(agent.max_output_tokens, model),
        temperature=agent.temperature,
        top_p=agent.top_p,
        top_k=agent.top_k,
        presence_penalty=agent.presence_penalty,
        frequency_penalty=agent.frequency_penalty,
        seed=agent.seed,
        stop_sequences=agent.stop_sequences,
        tool_choice=agent.tool_choice if model.supports_tools else "auto",
        thinking_budget=agent.thinking_budget if thinks and model.thinking_style == "budget" else None,
        thinking_level=thinking_level(agent) if thinks and model.thinking_style == "level" else None,
        builtin_tools=tuple(tool for tool in BuiltinTool if tool in agent.builtin_tools and tool in model.builtin_tools),
        native_files=native_files,
        max_native_pages=WIRES[PROVIDERS[model.provider].wire].max_pages if native_files else None,
        provider_options=provider_options(agent, thinking_model=model.model_id if thinks else None),
        reasons=model.reasons,
    )


def _native_files(model: ModelSnapshot) -> tuple[NativeFileKind, ...]:
    kinds: dict[NativeFileKind, bool] = {"image": model.supports_images, "pdf": model.supports_pdf}
    return tuple(kind for kind, is_taken in kinds.items() if is_taken)


def run_budget(agent: AgentSnapshot, snapshot: ReleaseSnapshot) -> RunBudget:
    """Return the budget of a new run of the agent."""
    return RunBudget(max_tokens=agent.token_budget, max_cost_usd=agent.cost_budget_usd, price=price_of_run(agent, snapshot))


def price_of_run(
    agent: AgentSnapshot, snapshot: ReleaseSnapshot, *, today: Callable[[], date] = utc_today
) -> Callable[[str, Usage], float | None]:
    """Return a function that prices tokens of the agent's provider's models in US dollars; None for a model without a price.

    A call is priced as of its own day, so a long run may see a price change.
    """
    models = {model.model_id: model for model in snapshot.models if model.provider == agent.provider}

    def price(model_id: str, usage: Usage) -> float | None:
        model = models.get(model_id)
        if model is None:
            return None
        return model.cost_usd(
            day=today(),
            fresh_input=usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens,
            cached_input=usage.cached_tokens,
            cache_write=usage.cache_write_tokens,
            output=usage.output_tokens,
            thinking=usage.thinking_tokens,
            images=usage.image_tokens,
            searches=usage.searches,
            pictures=usage.pictures,
        )

    return price


def _output_limit(limit: int | None, model: ModelSnapshot) -> int:
    return min(limit or model.max_output_tokens, model.max_output_tokens)


def _step_rule(rule: StepRuleSnapshot, model: ModelSnapshot) -> StepRule:
    return StepRule(
        first=rule.first,
        last=rule.last,
        active_tools=_names(rule.active_tools),
        tool_choice=rule.tool_choice,
        max_output_tokens=rule.max_output_tokens and _output_limit(rule.max_output_tokens, model),
        temperature=rule.temperature,
    )


def _context(agent: AgentSnapshot, model: ModelSnapshot) -> ContextPolicy:
    return ContextPolicy(
        window_tokens=model.context_window,
        compact_at=agent.compact_at_percent / 100,
        tail=agent.tail_percent / 100,
        guard_at=agent.guard_percent / 100,
        prune_reasoning=agent.prune_reasoning,
        prune_tool_calls=agent.prune_tool_calls,
        prune_tools=tuple(agent.prune_tools.items()),
        prune_empty=agent.prune_empty,
    )


def _names(names: tuple[str, ...] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)
