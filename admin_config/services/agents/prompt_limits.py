"""How long an agent's system prompt may be: a share of the smallest window of the models that may answer (SPEC 3.13)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol
from uuid import UUID

from django.utils.translation import gettext_lazy

from admin_config.errors import Problem
from admin_config.models import AgentConfig, AppSettings, ModelConfig

PROMPT_SHARE: Final = 0.25  # the rest is for tools, files and the conversation
CHARS_PER_TOKEN: Final = 4
TOO_LONG: Final = gettext_lazy(
    "The prompt has {tokens:,} tokens. All its texts together may have {limit:,}: a quarter of the window of {model}, the smallest offered."
)


class PromptDraft(Protocol):
    """The parts of a Draft (admin_config.services.drafts.draft) that are checked."""

    @property
    def agents(self) -> Sequence[AgentConfig]: ...

    @property
    def models(self) -> Sequence[ModelConfig]: ...

    @property
    def settings(self) -> AppSettings: ...


def prompt_tokens(texts: Iterable[str]) -> int:
    """Return the tokens of the texts, by the estimate of agents.context.tokens: four ASCII characters each, any other character one."""
    ascii_length = other = 0
    for text in texts:
        plain = len(text.encode("ascii", "ignore"))
        ascii_length += plain
        other += len(text) - plain
    return -(-ascii_length // CHARS_PER_TOKEN) + other


def max_prompt_tokens(models: Iterable[ModelConfig], provider: str) -> tuple[int, str] | None:
    """Return the limit for agents of this provider and the model that sets it; None while the provider has no enabled model."""
    own = [model for model in models if model.provider == provider and model.is_enabled]
    smallest = min(own, key=lambda model: model.context_window, default=None)
    return (int(smallest.context_window * PROMPT_SHARE), smallest.display_name) if smallest else None


def prompt_texts(agent: AgentConfig, own: Mapping[str, tuple[bool, str]]) -> list[str]:
    """Return the texts of the agent's system prompt. `own`: whether each section is enabled, and its text unless the default, by name."""
    defaults = agent.defaults
    sections = ((own.get(section.name, (section.is_enabled, "")), section.text) for section in defaults.sections)
    return [
        agent.value("system_prompt") or defaults.system_prompt,
        *(text or default for (is_enabled, text), default in sections if is_enabled),
    ]


def length_problem(agent: AgentConfig, own: Mapping[str, tuple[bool, str]], models: Iterable[ModelConfig]) -> str:
    """Return why the agent's prompt is too long; empty when it isn't, or when none of its texts is the organization's own."""
    if not agent.value("system_prompt") and not any(text for _, text in own.values()):
        return ""
    limit, tokens = max_prompt_tokens(models, agent.provider), prompt_tokens(prompt_texts(agent, own))
    return TOO_LONG.format(tokens=tokens, limit=limit[0], model=limit[1]) if limit and tokens > limit[0] else ""


def section_values(agent: AgentConfig, own: Mapping[str, tuple[bool | None, str]] | None = None) -> dict[str, tuple[bool, str]]:
    """Return whether each section of the agent is enabled, and its text unless the default, with what it has from its base.

    `own`: the same of the agent alone, as it stands in a form; None: as it is stored.
    """
    if own is None:
        own = {section.name: (section.is_enabled, section.text) for section in agent.sections.all()}
    below = section_values(agent.base) if agent.base is not None else {}
    blank = {section.name: (section.is_enabled, "") for section in agent.defaults.sections} | below
    return {
        name: (blank.get(name, (True, ""))[0] if on is None else on, text or blank.get(name, (True, ""))[1])
        for name, (on, text) in own.items()
    }


def prompt_problems(draft: PromptDraft) -> Iterator[Problem]:
    """Yield the agents of the draft whose prompts are too long; where all their texts are the base's, the base, once."""
    providers = {draft.settings.active_provider, *draft.settings.offered_providers}
    reported_ids = set[UUID]()
    for agent in sorted(draft.agents, key=lambda agent: _limit(agent, draft.models)):
        is_own = agent.base is None or bool(agent.system_prompt) or any(section.text for section in agent.sections.all())
        row = agent if is_own or agent.base is None else agent.base
        if row.id in reported_ids or (not is_own and agent.provider not in providers):
            continue
        if text := length_problem(agent, section_values(agent), draft.models):
            reported_ids.add(row.id)
            yield Problem(f"{row}: {text}", row_id=row.id, field="system_prompt")


def base_length_problem(base: AgentConfig, own: Mapping[str, tuple[bool, str]]) -> str:
    """Return why a base's prompt is too long for an offered provider; empty when it isn't. `own`: as in `length_problem`. Two queries."""
    if not base.system_prompt and not any(text for _, text in own.values()):
        return ""
    limit, tokens = max_shared_tokens(), prompt_tokens(prompt_texts(base, own))
    return TOO_LONG.format(tokens=tokens, limit=limit[0], model=limit[1]) if limit and tokens > limit[0] else ""


def max_shared_tokens() -> tuple[int, str] | None:
    """Return the limit for what all offered providers get, and the model that sets it; None while none has a model. Two queries."""
    current, models = AppSettings.objects.get(), list(ModelConfig.objects.filter(is_enabled=True))
    providers = {current.active_provider, *current.offered_providers}
    limits = (max_prompt_tokens(models, provider) for provider in providers)
    return min((limit for limit in limits if limit is not None), default=None)


def _limit(agent: AgentConfig, models: Iterable[ModelConfig]) -> float:
    limit = max_prompt_tokens(models, agent.provider)
    return limit[0] if limit else math.inf
