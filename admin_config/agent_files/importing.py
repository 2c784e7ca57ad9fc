"""Import of agents and tool sources from YAML, checked like the admin's forms. Needs the organization's `tenant_tx`.

Agents and sources that the file does not name stay as they are. Those that it names are replaced completely: omitted fields get their
defaults.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext
from pydantic import ValidationError as SettingsInvalid

from admin_config.agent_files.content import Content, as_mapping, content_read, mapping_in, mappings_in, names_in, without
from admin_config.agent_files.rows import AgentFileInvalid, check_name_field, row_fill, row_fill_and_save
from admin_config.defaults.platform import CUSTOM_AGENT, KINDS, PROVIDERS, agent_key
from admin_config.extension_kinds import plugin_kinds, tool_kinds
from admin_config.models import (
    AgentConfig,
    AgentOperation,
    AgentPlugin,
    AgentTool,
    AppSettings,
    Assistant,
    ModelConfig,
    PromptSection,
    StepRule,
    ToolSource,
)
from admin_config.services.changes.diff import FieldDiff, release_diff
from admin_config.services.configuration import release_publish_if_open, tool_source_secret_remove
from admin_config.services.drafts.draft import draft_compose, draft_load, draft_problems
from admin_config.services.replaced_secrets import source_keeps_secret
from admin_config.services.settings_lock import settings_lock
from security.audit import audit
from tenants.context import current_organization_id
from tenants.models import MemberGroup

NAME = frozenset({"name"})
ALONE = frozenset({"model", "step_rules", "plugins", "assistant"})  # parts that bases don't have


def agents_import_preview(text: str) -> list[FieldDiff]:
    """Return what the import would change, without saving it. Raises AgentFileInvalid with all problems.

    Locks the organization's settings row meanwhile, because it writes rows, which it then rolls back.
    """
    with transaction.atomic():
        settings_lock(current_organization_id())
        before = draft_compose(draft_load())
        _apply(content_read(text))
        changes = release_diff(before, draft_compose(draft_load()))
        transaction.set_rollback(True)
    return changes


@transaction.atomic
def agents_import(text: str, *, author_id: int | None = None) -> int | None:
    """Import the file, completely or not at all, and publish it where every save is; return the release's number, or None for the draft.

    Writes an audit event for each agent and source that the file changes. Locks the organization's settings row. Raises AgentFileInvalid.
    """
    organization_id = current_organization_id()
    settings_lock(organization_id)
    before = draft_compose(draft_load())
    _apply(content_read(text))
    _audit(release_diff(before, draft_compose(draft_load())), author_id)
    if not AppSettings.objects.get(organization_id=organization_id).publish_on_save:
        return None
    release = release_publish_if_open(organization_id=organization_id, author_id=author_id, note="Imported from a file")
    return release.number if release else None


def _audit(changes: Sequence[FieldDiff], author_id: int | None) -> None:
    places = {change.where[:2] for change in changes}
    agents = AgentConfig.objects.filter(key__in=[place[1] for place in places if place[0] == "agents"])
    sources = ToolSource.objects.filter(name__in=[place[1] for place in places if place[0] == "tool sources"])
    for row in (*agents, *sources):
        kind = type(row).__name__.lower()
        audit(
            organization_id=current_organization_id(),
            actor_user_id=author_id,
            action=f"{kind}.import",
            object_kind=kind,
            object_id=row.pk,
            object_label=str(row),
        )


def _apply(content: Content) -> None:
    """Write the rows and check the resulting draft."""
    for name, fields in mapping_in(content, "tool_sources", gettext("the file")).items():
        _import_source(name, as_mapping(fields, f"tool_sources.{name}"))
    agents = {key: as_mapping(fields, f"agents.{key}") for key, fields in mapping_in(content, "agents", gettext("the file")).items()}
    rows = {key: _import_agent(key, fields) for key, fields in agents.items()}
    for key, row in rows.items():  # after all agents exist, because they refer to each other
        _import_tools(row, agents[key], f"agents.{key}.tools")
    if problems := draft_problems(draft_load()):
        raise AgentFileInvalid("\n".join(problem.text for problem in problems))


def _import_source(name: str, fields: Content) -> None:
    where, kind = f"tool_sources.{name}", str(fields.get("kind"))
    if kind not in tool_kinds():
        raise AgentFileInvalid(gettext("%(where)s: there is no kind of tool source named %(kind)s.") % {"where": where, "kind": kind})
    source = ToolSource.objects.select_related("secret").filter(name=name).first() or ToolSource(name=name)
    source.kind = kind
    check_name_field(ToolSource, name, where)
    row_fill(source, without(fields, "kind"), where=where, without=NAME).save()
    if source.secret_id is not None and not source_keeps_secret(source):
        tool_source_secret_remove(source=source)


def _import_agent(key: str, fields: Content) -> AgentConfig:
    where = f"agents.{key}"
    agent = AgentConfig.objects.filter(key=key).first() or _new_agent(key, fields, where)
    if (fields.get("kind"), fields.get("provider")) != (agent.kind, agent.provider):
        raise AgentFileInvalid(
            gettext("%(where)s: kind and provider must be %(kind)s and %(provider)s.")
            % {"where": where, "kind": agent.kind, "provider": agent.provider}
        )
    if agent.is_base and (alone := sorted(fields.keys() & ALONE)):
        raise AgentFileInvalid(
            gettext("%(where)s: only an agent of one provider has %(alone)s.") % {"where": where, "alone": ", ".join(alone)}
        )
    parts = ("kind", "provider", "model", "operations", "sections", "step_rules", "plugins", "tools", "assistant")
    row_fill(agent, without(fields, *parts), where=where)
    agent.model = _model(agent.provider, fields.get("model"), where)
    agent.save()
    _import_parts(agent, AgentOperation, {part.name for part in KINDS[agent.kind].operations}, fields, "operations")
    _import_parts(agent, PromptSection, {part.name for part in KINDS[agent.kind].sections}, fields, "sections")
    _import_rules(agent, fields, where)
    _import_plugins(agent, fields, where)
    _import_assistant(agent, fields, where)
    return agent


def _new_agent(key: str, fields: Content, where: str) -> AgentConfig:
    """Create a custom agent. Others can't be new, because they come with the platform."""
    name, provider = str(fields.get("name", "")), str(fields.get("provider", ""))
    if fields.get("kind") != CUSTOM_AGENT or provider not in PROVIDERS or not name or key != agent_key(name, provider):
        raise AgentFileInvalid(
            gettext("%(where)s: there is no such agent here. A new one needs kind %(custom_agent)s and the key <name>_<provider>.")
            % {"where": where, "custom_agent": CUSTOM_AGENT}
        )
    check_name_field(AgentConfig, name, where)
    return AgentConfig(key=key, kind=CUSTOM_AGENT, provider=provider, name=name)


def _model(provider: str, model_id: Any, where: str) -> ModelConfig | None:
    if model_id is None:
        return None
    model = ModelConfig.objects.filter(provider=provider, model_id=str(model_id)).first()
    if model is None:
        raise AgentFileInvalid(
            gettext("%(where)s.model: %(provider)s has no model %(model_id)s.")
            % {"where": where, "provider": provider, "model_id": model_id}
        )
    return model


def _import_parts(
    agent: AgentConfig, model: type[AgentOperation] | type[PromptSection], names: set[str], fields: Content, part: str
) -> None:
    """Import rows that the kind defines. Those that the file does not name get their defaults."""
    entries = mapping_in(fields, part, f"agents.{agent.key}")
    if unknown := sorted(entries.keys() - names):
        raise AgentFileInvalid(
            gettext("agents.%(key)s.%(part)s: unknown %(unknown)s.") % {"key": agent.key, "part": part, "unknown": ", ".join(unknown)}
        )
    rows = {row.name: row for row in model.objects.filter(agent=agent)}
    for name in sorted(names):
        where = f"agents.{agent.key}.{part}.{name}"
        row = rows.get(name) or model(agent=agent, name=name)
        row_fill_and_save(row, as_mapping(entries.get(name, {}), where), where=where, without=NAME)


def _import_rules(agent: AgentConfig, fields: Content, where: str) -> None:
    StepRule.objects.filter(agent=agent).delete()
    for place, rule in enumerate(mappings_in(fields, "step_rules", where)):
        row_fill(StepRule(agent=agent), rule, where=f"{where}.step_rules[{place}]").save()


def _import_plugins(agent: AgentConfig, fields: Content, where: str) -> None:
    """Match rows by kind and order, so that they keep their secrets as long as their address stays the same."""
    rows = list(AgentPlugin.objects.select_related("secret").filter(agent=agent).order_by("position", "name", "id"))
    for place, plugin in enumerate(mappings_in(fields, "plugins", where)):
        kind = plugin_kinds().get(str(plugin.get("name")))
        if kind is None:
            raise AgentFileInvalid(
                gettext("%(where)s.plugins[%(place)s]: there is no plugin named %(get)s.")
                % {"where": where, "place": place, "get": plugin.get("name")}
            )
        row = next((row for row in rows if row.name == kind.name), None) or AgentPlugin(agent=agent)
        rows = [other for other in rows if other is not row]
        row_fill(row, plugin, where=f"{where}.plugins[{place}]")
        try:
            settings = kind.settings.model_validate(row.settings)
        except SettingsInvalid as error:
            raise AgentFileInvalid(f"{where}.plugins[{place}].settings: {error.errors()[0]['msg']}") from error
        if kind.secret_url is not None and not row.has_secret_for(kind.secret_url(settings)):
            row.secret = None
        row.save()
    for row in rows:
        row_fill(row, {"name": row.name}, where=where).save()


def _import_assistant(agent: AgentConfig, fields: Content, where: str) -> None:
    """Import what makes it an assistant. The file has no picture, so that the one it has stays."""
    old_row = Assistant.objects.filter(agent=agent).first()
    if "assistant" not in fields:
        if old_row is not None:
            old_row.delete()
        return
    where = f"{where}.assistant"
    assistant_fields = as_mapping(fields["assistant"], where)
    names = names_in(assistant_fields, "groups", where)
    groups = {group.name: str(group.pk) for group in MemberGroup.objects.filter(name__in=names)}
    if missing := [name for name in names if name not in groups]:
        raise AgentFileInvalid(
            gettext("%(where)s.groups: there is no group %(missing)s here.") % {"where": where, "missing": ", ".join(missing)}
        )
    row = old_row or Assistant(agent=agent)
    row_fill(row, without(assistant_fields, "groups"), where=where, without=frozenset({"groups"}))
    row.groups = [groups[name] for name in names]
    row.save()


def _import_tools(agent: AgentConfig, fields: Content, where: str) -> None:
    AgentTool.objects.filter(agent=agent).delete()
    used_ids = set[UUID | None]()
    for place, tool in enumerate(mappings_in(fields, "tools", f"agents.{agent.key}")):
        what = {"source_id": _id(ToolSource, "name", tool, "source", where), "sub_agent_id": _id(AgentConfig, "key", tool, "agent", where)}
        if sum(row_id is not None for row_id in what.values()) != 1:
            raise AgentFileInvalid(gettext("%(where)s[%(place)s]: name either a source or an agent.") % {"where": where, "place": place})
        if not used_ids.isdisjoint(what.values()):
            raise AgentFileInvalid(
                gettext("%(where)s[%(place)s]: %(value)s is here twice.")
                % {"where": where, "place": place, "value": tool.get("source") or tool.get("agent")}
            )
        used_ids.update(row_id for row_id in what.values() if row_id)
        row = AgentTool(agent=agent, position=place + 1, **what)
        row_fill(row, without(tool, "source", "agent"), where=f"{where}[{place}]", without=frozenset({"position"})).save()


def _id(model: type[ToolSource] | type[AgentConfig], field: str, tool: Content, name: str, where: str) -> UUID | None:
    if name not in tool:
        return None
    row_id: UUID | None = model.objects.filter(**{field: str(tool[name])}).values_list("id", flat=True).first()
    if row_id is None:
        raise AgentFileInvalid(gettext("%(where)s: there is no %(name)s %(value)s.") % {"where": where, "name": name, "value": tool[name]})
    return row_id
