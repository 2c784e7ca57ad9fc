"""The rows of the platform's defaults: those that an organization starts with, and those that a later version brings.

All need the organization's `tenant_tx`; nothing here publishes.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction

from admin_config.catalogue import model_update_apply, model_updates
from admin_config.defaults import (
    CHAT_AGENT,
    DEMO_WIRES,
    GIT_MCP_AGENT,
    KINDS,
    PROVIDER_TOOLS_AGENT,
    PROVIDERS,
    KindDefaults,
    ModelDefaults,
    ProviderDefaults,
    agent_key,
)
from admin_config.github_defaults import GITHUB
from admin_config.models import (
    AgentConfig,
    AgentOperation,
    AgentPlugin,
    AgentTool,
    AppSettings,
    ModelConfig,
    PromptSection,
    ProviderEndpoint,
    ToolSource,
)
from admin_config.plugin_kinds import plugin_kinds
from admin_config.tool_seeding import default_tools_add, default_tools_give


def defaults_seed(*, demo_wires: bool) -> None:
    """Rows for every provider that has none, and for every agent kind."""
    for provider, defaults in PROVIDERS.items():
        if provider in DEMO_WIRES and not demo_wires:
            continue
        if not ProviderEndpoint.objects.filter(provider=provider).exists():
            ProviderEndpoint.objects.create(provider=provider, name=defaults.label)
        if not ModelConfig.objects.filter(provider=provider).exists():
            _add_models(provider, defaults.models, is_enabled=True)
        _add_agents(provider)


@transaction.atomic
def providers_add() -> list[str]:
    """Add what a later version of Parley brought: providers, models, agents and their parts. Return what was added, in words.

    New endpoints, and new models of a provider that has some, are disabled. Existing rows stay as they are. Raises
    AppSettings.DoesNotExist for an organization that was never seeded.
    """
    AppSettings.objects.select_for_update().get()
    has_demo_wires = ProviderEndpoint.objects.filter(provider__in=DEMO_WIRES).exists()
    wanted = {name: defaults for name, defaults in PROVIDERS.items() if has_demo_wires or name not in DEMO_WIRES}
    return [*default_tools_add(), *(line for provider, defaults in wanted.items() for line in _add_provider(provider, defaults))]


def _add_provider(provider: str, defaults: ProviderDefaults) -> Iterator[str]:
    if not ProviderEndpoint.objects.filter(provider=provider).exists():
        ProviderEndpoint.objects.create(provider=provider, name=defaults.label, is_enabled=False)
        yield f"endpoint {defaults.label}, disabled"
    held = set(ModelConfig.objects.filter(provider=provider).values_list("model_id", flat=True))
    missing = tuple(model for model in defaults.models if model.model_id not in held)
    _add_models(provider, missing, is_enabled=not held)
    yield from (f"model {provider}:{model.model_id}{', disabled' if held else ''}" for model in missing)
    yield from _add_agents(provider)


def _add_models(provider: str, models: tuple[ModelDefaults, ...], *, is_enabled: bool) -> None:
    """Disabled ones are no default: the provider has one."""
    ModelConfig.objects.bulk_create(
        ModelConfig(
            provider=provider,
            model_id=model.model_id,
            display_name=model.display_name,
            context_window=model.context_window,
            max_output_tokens=model.max_output_tokens,
            supports_thinking=model.thinking_style != "none",
            thinking_style=model.thinking_style,
            is_default=model.is_default and is_enabled,
            is_enabled=is_enabled,
        )
        for model in models
    )
    new = ModelConfig.objects.filter(provider=provider, model_id__in=[model.model_id for model in models])
    for update in model_updates(new):
        model_update_apply(update)


def _add_agents(provider: str) -> list[str]:
    return [line for kind, defaults in KINDS.items() if not defaults.is_custom for line in _add_agent(kind, defaults, provider)]


def _add_agent(kind: str, defaults: KindDefaults, provider: str) -> list[str]:
    """The agent and its parts, as far as they are missing, in words."""
    agent, is_new = AgentConfig.objects.get_or_create(key=agent_key(kind, provider), defaults={"kind": kind, "provider": provider})
    if is_new and kind == CHAT_AGENT:
        default_tools_give(agent)
    if is_new and kind == PROVIDER_TOOLS_AGENT:
        _give_to_chat_agent(agent)
    if is_new and kind == GIT_MCP_AGENT:
        _give_github(agent)
    parts = [
        *(("operation", name.name, AgentOperation.objects.get_or_create(agent=agent, name=name.name)[1]) for name in defaults.operations),
        *(("prompt section", name.name, PromptSection.objects.get_or_create(agent=agent, name=name.name)[1]) for name in defaults.sections),
        *(("plugin", name, is_added) for name, is_added in _add_plugins(agent, defaults)),
    ]
    if is_new:
        return [f"agent {agent.key}"]
    return [f"{what} {name} of {agent.key}" for what, name, is_added in parts if is_added]


def _give_to_chat_agent(agent: AgentConfig) -> None:
    """Where the provider has such tools; an admin who takes it away again keeps it away."""
    abilities = PROVIDERS[agent.provider].abilities
    if abilities is not None and abilities.builtin_tools:
        AgentTool.objects.create(agent=AgentConfig.objects.get(key=agent_key(CHAT_AGENT, agent.provider)), sub_agent=agent)


def _give_github(agent: AgentConfig) -> None:
    """GitHub's tools for the agent, and the agent for its provider's chat agent; one source for the agents of all providers."""
    source, _ = ToolSource.objects.get_or_create(kind=GITHUB, defaults={"name": GITHUB})
    AgentTool.objects.create(agent=agent, source=source)
    AgentTool.objects.create(agent=AgentConfig.objects.get(key=agent_key(CHAT_AGENT, agent.provider)), sub_agent=agent, position=2)


def _add_plugins(agent: AgentConfig, defaults: KindDefaults) -> Iterator[tuple[str, bool]]:
    """One row of each kind that an agent has once."""
    enabled = defaults.plugins | PROVIDERS[agent.provider].plugins
    for position, kind in enumerate(plugin_kinds().values(), start=1):
        if not kind.repeats and not defaults.is_tool and not defaults.is_sub_agent:
            state = {"is_enabled": kind.name in enabled, "position": position}
            yield kind.name, AgentPlugin.objects.get_or_create(agent=agent, name=kind.name, defaults=state)[1]
