"""Checks of a draft's assistants before it is published (SPEC 4.14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext

from admin_config.errors import Problem
from admin_config.models import AgentConfig, Assistant, ModelConfig


def assistant_of(agent: AgentConfig) -> Assistant | None:
    return next(iter(agent.assistants.all()), None)


def assistant_problems(agents: Sequence[AgentConfig], models: Sequence[ModelConfig], reachable: frozenset[str]) -> Iterator[Problem]:
    """Yield why these assistants can't be published. `reachable`: providers with an enabled endpoint."""
    names: set[str] = set()
    ready = {model.provider for model in models if model.is_enabled and model.is_default}
    for agent in agents:
        assistant = assistant_of(agent)
        if assistant is None or not (assistant.is_offered and agent.is_on):
            continue
        if not agent.system_prompt.strip():
            yield Problem(
                gettext("%(title)s: write its instructions. Without them it does not know what it is for.") % {"title": assistant.title},
                assistant.id,
                "prompt",
            )
        if assistant.model_choice == Assistant.ModelChoice.FIXED and agent.provider not in reachable & ready:
            label = agent.get_provider_display()
            yield Problem(
                gettext("%(title)s: %(label)s needs an enabled endpoint and a default model.") % {"title": assistant.title, "label": label},
                assistant.id,
                "model_choice",
            )
        name = assistant.title.casefold()
        if name in names:
            yield Problem(
                gettext("There are two assistants named %(title)s. Rename one of them.") % {"title": assistant.title}, assistant.id, "title"
            )
        names.add(name)
