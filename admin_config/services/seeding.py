"""Creates the rows that an organization starts with, and those that a newer version of Parley adds.

Rows of providers, models, agents and their parts, and the tools that chat agents have from the start. All functions need the organization's
`tenant_tx`; none of them publishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.db import transaction

from admin_config.defaults.github import GITHUB
from admin_config.defaults.platform import (
    ALL_PROVIDERS,
    CHAT_AGENT,
    DEMO_WIRES,
    GIT_MCP_AGENT,
    KINDS,
    PROVIDER_TOOLS_AGENT,
    PROVIDERS,
    ModelDefaults,
    ProviderSpec,
    agent_key,
)
from admin_config.extension_kinds import plugin_kinds
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
from admin_config.services.model_catalogue import model_update_apply, model_updates

# Kinds of sources that need no settings. Admins add search, which needs a key, and folders, which need files.
DEFAULT_TOOLS = ("plan", "fetch_url", "page_state")
FIRST_POSITION = 10  # after the agents that a chat agent may call


def default_tools_assign(agent: AgentConfig) -> None:
    """Give a newly created chat agent the default tools."""
    for kind in DEFAULT_TOOLS:
        _assign(agent, source_of_kind(kind))


def source_of_kind(kind: str) -> ToolSource:
    """Return the organization's first source of this kind, or a new one."""
    return ToolSource.objects.filter(kind=kind).order_by("id").first() or _create_source(kind)


def default_tools_add() -> list[str]:
    """Give all chat agents the default tools of which the organization has no source yet. Return what was added, in words.

    An existing source stays as the admin left it, even if it is disabled or unused.
    """
    missing = [kind for kind in DEFAULT_TOOLS if not ToolSource.objects.filter(kind=kind).exists()]
    for kind in missing:
        source = _create_source(kind)
        for agent in AgentConfig.objects.filter(kind=CHAT_AGENT).exclude(provider=ALL_PROVIDERS):
            _assign(agent, source)
    return [f"tool {kind} of the chat agents" for kind in missing]


def _create_source(kind: str) -> ToolSource:
    is_taken = ToolSource.objects.filter(name=kind).exists()
    return ToolSource.objects.create(kind=kind, name=f"{kind}_tool" if is_taken else kind)


def _assign(agent: AgentConfig, source: ToolSource) -> None:
    AgentTool.objects.get_or_create(agent=agent, source=source, defaults={"position": FIRST_POSITION + DEFAULT_TOOLS.index(source.kind)})


def defaults_seed(*, demo_wires: bool) -> None:
    """Create rows for every provider that has none, and for every agent kind, with the bases."""
    _add_agents(ALL_PROVIDERS)
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
    """Add the providers, models, agents and their parts of a newer version of Parley. Return what was added, in words.

    New endpoints are disabled, and so are new models of a provider that already has some. Existing rows stay as they are. Raises
    AppSettings.DoesNotExist for an organization that was never seeded.
    """
    AppSettings.objects.select_for_update().get()
    has_demo_wires = ProviderEndpoint.objects.filter(provider__in=DEMO_WIRES).exists()
    specs = {name: defaults for name, defaults in PROVIDERS.items() if has_demo_wires or name not in DEMO_WIRES}
    return [
        *default_tools_add(),
        *_add_agents(ALL_PROVIDERS),
        *(line for provider, defaults in specs.items() for line in _add_provider(provider, defaults)),
    ]


def _add_provider(provider: str, defaults: ProviderSpec) -> Iterator[str]:
    if not ProviderEndpoint.objects.filter(provider=provider).exists():
        ProviderEndpoint.objects.create(provider=provider, name=defaults.label, is_enabled=False)
        yield f"endpoint {defaults.label}, disabled"
    existing_ids = set(ModelConfig.objects.filter(provider=provider).values_list("model_id", flat=True))
    missing = tuple(model for model in defaults.models if model.model_id not in existing_ids)
    _add_models(provider, missing, is_enabled=not existing_ids)
    yield from (f"model {provider}:{model.model_id}{', disabled' if existing_ids else ''}" for model in missing)
    yield from _add_agents(provider)


def _add_models(provider: str, models: tuple[ModelDefaults, ...], *, is_enabled: bool) -> None:
    """Add models. Disabled ones don't become the default, because the provider already has one."""
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
    """Add the missing agents of a provider, or the bases, and their parts; return them in words. A constant number of statements."""
    kinds = {kind: defaults for kind, defaults in KINDS.items() if not defaults.is_custom}
    existing_keys = set(AgentConfig.objects.filter(provider=provider).values_list("key", flat=True))
    new = [kind for kind in kinds if agent_key(kind, provider) not in existing_keys]
    AgentConfig.objects.bulk_create(AgentConfig(key=agent_key(kind, provider), kind=kind, provider=provider) for kind in new)
    agents = {agent.kind: agent for agent in AgentConfig.objects.filter(provider=provider, kind__in=kinds)}
    parts = [*_add_operations(agents), *_add_sections(agents)]
    if provider != ALL_PROVIDERS:  # a base has neither tools at first, nor plugins
        for kind in new:
            _assign_tools(agents, kind)
        parts += _add_plugins(agents)
    return [*(f"agent {agents[kind].key}" for kind in new), *(f"{what} of {agent.key}" for agent, what in parts if agent.kind not in new)]


def _assign_tools(agents: Mapping[str, AgentConfig], kind: str) -> None:
    """Give a new agent its initial tools, and make it callable by the chat agent."""
    if kind == CHAT_AGENT:
        default_tools_assign(agents[kind])
    if kind == PROVIDER_TOOLS_AGENT:
        _assign_to_chat_agent(agents[kind], agents[CHAT_AGENT])
    if kind == GIT_MCP_AGENT:
        _assign_github(agents[kind], agents[CHAT_AGENT])


AddedPart = tuple[AgentConfig, str]


def _add_operations(agents: Mapping[str, AgentConfig]) -> list[AddedPart]:
    existing_keys = set(AgentOperation.objects.filter(agent__in=agents.values()).values_list("agent_id", "name"))
    expected = ((agent, operation.name) for kind, agent in agents.items() for operation in KINDS[kind].operations)
    missing = [(agent, name) for agent, name in expected if (agent.pk, name) not in existing_keys]
    AgentOperation.objects.bulk_create(AgentOperation(agent=agent, name=name) for agent, name in missing)
    return [(agent, f"operation {name}") for agent, name in missing]


def _add_sections(agents: Mapping[str, AgentConfig]) -> list[AddedPart]:
    existing_keys = set(PromptSection.objects.filter(agent__in=agents.values()).values_list("agent_id", "name"))
    expected = ((agent, section.name) for kind, agent in agents.items() for section in KINDS[kind].sections)
    missing = [(agent, name) for agent, name in expected if (agent.pk, name) not in existing_keys]
    PromptSection.objects.bulk_create(PromptSection(agent=agent, name=name) for agent, name in missing)
    return [(agent, f"prompt section {name}") for agent, name in missing]


def _assign_to_chat_agent(agent: AgentConfig, chat_agent: AgentConfig) -> None:
    """Let the chat agent call this agent if the provider has built-in tools. Called once, so an admin can remove it for good."""
    abilities = PROVIDERS[agent.provider].abilities
    if abilities is not None and abilities.builtin_tools:
        AgentTool.objects.create(agent=chat_agent, sub_agent=agent)


def _assign_github(agent: AgentConfig, chat_agent: AgentConfig) -> None:
    """Give the agent GitHub's tools, and let its provider's chat agent call it. The agents of all providers share one source."""
    AgentTool.objects.create(agent=agent, source=source_of_kind(GITHUB))
    AgentTool.objects.create(agent=chat_agent, sub_agent=agent, position=2)


def _add_plugins(agents: Mapping[str, AgentConfig]) -> list[AddedPart]:
    """Add one row of each kind of plugin that an agent has exactly once."""
    existing_keys = set(AgentPlugin.objects.filter(agent__in=agents.values()).values_list("agent_id", "name"))
    missing = [
        AgentPlugin(agent=agent, name=plugin.name, position=position, is_enabled=plugin.name in _enabled_plugins(agent))
        for kind, agent in agents.items()
        for position, plugin in enumerate(plugin_kinds().values(), start=1)
        if not plugin.repeats and not KINDS[kind].is_tool and not KINDS[kind].is_sub_agent and (agent.pk, plugin.name) not in existing_keys
    ]
    AgentPlugin.objects.bulk_create(missing)
    return [(plugin.agent, f"plugin {plugin.name}") for plugin in missing]


def _enabled_plugins(agent: AgentConfig) -> frozenset[str]:
    return KINDS[agent.kind].plugins | PROVIDERS[agent.provider].plugins
