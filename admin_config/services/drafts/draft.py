"""The draft: composes working rows and platform defaults into a release, and finds problems that prevent publishing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils.translation import gettext

from admin_config.defaults.compatible_options import CompatibleOptions
from admin_config.defaults.options import OPTIONS
from admin_config.defaults.platform import PROVIDERS
from admin_config.errors import Problem
from admin_config.models import (
    AgentConfig,
    AgentOperation,
    AgentTool,
    AppSettings,
    Assistant,
    ModelConfig,
    PromptSection,
    ProviderEndpoint,
    StepRule,
    ToolSource,
)
from admin_config.models.platform import PlatformDefaults, platform_defaults
from admin_config.release import (
    EndpointSnapshot,
    ModelSnapshot,
    ReleaseSnapshot,
    ToolSourceSnapshot,
)
from admin_config.services.agents.bases import bases_attach, defaults_attach
from admin_config.services.agents.platform_agents import base_of
from admin_config.services.agents.prompt_limits import prompt_problems
from admin_config.services.drafts.agent_snapshots import AGENT_PARTS, agent_snapshot
from admin_config.services.drafts.assistant_checks import assistant_problems
from admin_config.services.drafts.provider_checks import price_problems, provider_problems
from admin_config.services.drafts.secret_placeholders import source_placeholder_problems
from admin_config.services.drafts.sub_agent_checks import draft_sub_agent_problems
from admin_config.services.drafts.tool_checks import tool_problems
from admin_config.services.drafts.tool_count_checks import tool_count_problems
from admin_config.services.tool_review import released_pins
from admin_config.validation.text_lists import parse_names
from tenants.prefetching import children_prefetch


@dataclass(frozen=True)
class Draft:
    """All working rows of the current organization, loaded once."""

    settings: AppSettings
    endpoints: Sequence[ProviderEndpoint]
    models: Sequence[ModelConfig]
    agents: Sequence[AgentConfig]  # each with its base
    tool_sources: Sequence[ToolSource]
    bases: Sequence[AgentConfig]
    defaults: PlatformDefaults  # which the agents have, too


@dataclass(frozen=True)
class Candidate:
    """What would go live, and what prevents that."""

    snapshot: ReleaseSnapshot
    problems: Sequence[Problem]


DraftChoice = Callable[[Draft], Candidate]
"""Returns what of the draft would go live. Needs the organization's `tenant_tx`."""


def whole_draft(draft: Draft) -> Candidate:
    """Choose all of the draft."""
    return Candidate(draft_compose(draft), draft_problems(draft))


def draft_load() -> Draft:
    """Load the current organization's draft in a fixed number of queries. Raises AppSettings.DoesNotExist before it was seeded."""
    rows, sources = list(AgentConfig.objects.order_by("key")), list(ToolSource.objects.order_by("name"))
    models = list(ModelConfig.objects.order_by("provider", "-is_default", "display_name", "model_id"))
    children_prefetch(models, "prices")
    children_prefetch(rows, *AGENT_PARTS)
    _set_references(rows, models, sources)
    defaults = platform_defaults()
    defaults_attach(rows, defaults)
    return Draft(
        settings=AppSettings.objects.select_related("live_release").defer("live_release__content").get(),
        endpoints=list(ProviderEndpoint.objects.order_by("provider", "priority", "name", "id")),
        models=models,
        agents=bases_attach(rows),
        tool_sources=sources,
        bases=[row for row in rows if row.is_base],
        defaults=defaults,
    )


def _set_references(agents: Sequence[AgentConfig], models: Sequence[ModelConfig], sources: Sequence[ToolSource]) -> None:
    """Let agents and their tools refer to the rows that were loaded. What was committed after those rows is read when it is asked for."""
    agents_by_id: dict[UUID | None, AgentConfig] = {row.pk: row for row in agents}
    models_by_id: dict[UUID | None, ModelConfig] = {row.pk: row for row in models}
    sources_by_id: dict[UUID | None, ToolSource] = {row.pk: row for row in sources}
    for agent in agents:
        if model := models_by_id.get(agent.model_id):
            agent.model = model
        for tool in agent.tools.all():
            if source := sources_by_id.get(tool.source_id):
                tool.source = source
            if sub_agent := agents_by_id.get(tool.sub_agent_id):
                tool.sub_agent = sub_agent


def draft_compose(draft: Draft) -> ReleaseSnapshot:
    """Return the release that the draft would become."""
    return ReleaseSnapshot(
        active_provider=draft.settings.active_provider,
        offered_providers=tuple(p for p in draft.settings.offered_providers if p in PROVIDERS and p != draft.settings.active_provider),
        endpoints=tuple(endpoint_snapshot(row) for row in draft.endpoints if row.is_enabled),
        models=tuple(_model(row) for row in draft.models if row.is_enabled),
        agents={row.key: agent_snapshot(row) for row in draft.agents},
        bases={row.key: base for row in draft.bases if (base := agent_snapshot(row)) != base_of(row.kind, {})},
        tool_sources=tuple(_tool_source(row) for row in draft.tool_sources if row.is_enabled),
    )


def draft_problems(draft: Draft) -> list[Problem]:
    """Return why the draft can't be published: problems of rows, then those between rows. Empty when it can."""
    rows: Iterable[ProviderEndpoint | ModelConfig | AgentConfig | ToolSource] = (*draft.endpoints, *draft.models, *draft.bases)
    own = [problem for row in rows for problem in _row_problems(row)]
    own += [*_agent_problems(draft), *(problem for row in draft.tool_sources for problem in _row_problems(row))]
    agents = (*draft.bases, *draft.agents)
    parts = [replace(p, text=f"{agent}, {p.text}") for agent in agents for row in _parts(agent) for p in _row_problems(row)]
    between = (provider_problems(draft), price_problems(draft), prompt_problems(draft))
    secrets = source_placeholder_problems(draft.tool_sources)
    tools = (*tool_problems(draft.tool_sources, draft.agents), *secrets, *draft_sub_agent_problems(draft), *tool_count_problems(draft))
    reachable = frozenset(endpoint.provider for endpoint in draft.endpoints if endpoint.is_enabled)
    assistants = assistant_problems(draft.agents, draft.models, reachable)
    return [*own, *parts, *tools, *assistants, *chain.from_iterable(between)]


def _parts(agent: AgentConfig) -> Iterator[AgentOperation | PromptSection | StepRule | AgentTool | Assistant]:
    yield from agent.operations.all()
    yield from agent.sections.all()
    yield from agent.step_rules.all()
    yield from agent.tools.all()
    yield from agent.assistants.all()


def endpoint_snapshot(row: ProviderEndpoint) -> EndpointSnapshot:
    """Return the endpoint as a release holds it."""
    defaults = PROVIDERS[row.provider]
    return EndpointSnapshot(
        id=row.id,
        provider=row.provider,
        name=row.name,
        base_url=row.base_url or defaults.base_url,
        api_version=row.api_version or defaults.api_version,
        secret_id=row.secret_id,
        priority=row.priority,
        timeout_s=row.timeout_s,
        tool_mode="xml" if row.tool_mode == ProviderEndpoint.ToolMode.XML else "native",
        compatible_options=CompatibleOptions.model_validate(row.compatible_options),
    )


def _model(row: ModelConfig) -> ModelSnapshot:
    """Return the model with all prices, also past ones: without them the snapshot would change from day to day."""
    facts = {name: getattr(row, name) for name in ModelSnapshot.model_fields if name != "prices"}
    return ModelSnapshot(**facts, prices=tuple(price.price for price in row.prices.all()))


def _tool_source(row: ToolSource) -> ToolSourceSnapshot:
    return ToolSourceSnapshot(
        id=row.id,
        name=row.name,
        kind=row.kind,
        prefix=row.prefix,
        allowed_tools=parse_names(row.allowed_tools),
        danger=ToolSource.Danger(row.danger).value if row.danger else "",
        confirm=row.confirm,
        tool_rules=row.tool_rules,
        open_hosts=parse_names(row.open_hosts),
        member_switch=ToolSource.MemberSwitch(row.member_switch).value if row.member_switch else "",
        switch_label=row.switch_label,
        switch_hint=row.switch_hint,
        settings=row.settings,
        pins=released_pins(row.pins),
        secret_id=row.secret_id,
    )


@cache
def _foreign_keys(model: type[Model]) -> frozenset[str]:
    """Return the foreign keys of a model. The database checks them; validating each would cost a query per row."""
    return frozenset(field.name for field in model._meta.get_fields() if field.many_to_one and field.concrete)


def _row_problems(
    row: ProviderEndpoint | ModelConfig | AgentConfig | AgentOperation | PromptSection | StepRule | ToolSource | AgentTool | Assistant,
) -> Iterator[Problem]:
    try:
        row.full_clean(exclude=_foreign_keys(type(row)), validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        for field, texts in error.message_dict.items():
            for text in texts:
                yield Problem(f"{row}: {text}", row_id=row.id, field=field)


def _agent_problems(draft: Draft) -> Iterator[Problem]:
    """Yield the problems of agents but those that their base has too; where the base takes part in one, its text says so."""
    of_bases = {base.kind: {problem.text.removeprefix(str(base)) for problem in _row_problems(base)} for base in draft.bases}
    for agent in draft.agents:
        for problem in _row_problems(agent):
            if problem.text.removeprefix(str(agent)) in of_bases.get(agent.kind, ()):
                continue
            is_shared = problem.field in OPTIONS and any(agent.is_set(name) and not agent.is_own(name) for name in OPTIONS)
            yield (
                replace(problem, text=gettext("%(text)s Part of it is set for all providers.") % {"text": problem.text})
                if is_shared
                else problem
            )
