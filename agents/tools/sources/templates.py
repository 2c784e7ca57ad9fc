"""Tools that find templates of the gallery and make an artifact from one (docs/agents.md). The run's member sees the same ones on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext_noop as _

from admin_config.release import ToolSourceSnapshot
from agents.artifact_agents.ports import WrittenVersion
from agents.artifact_agents.results import stored_outcome
from agents.artifact_agents.store import DatabaseArtifactStore
from agents.engine.ports import ReplayRule, ToolContext, ToolOutcome, ToolTraits
from agents.engine.taint import PRIVATE_AND_UNTRUSTED, Reads
from agents.errors import ToolFailed
from agents.messages import ToolDefinition
from agents.run_context import RunContext
from agents.tools.base import FunctionTool, LoadedTools, SourceSettings, ToolBuildContext, function_tools
from artifacts.models import Version
from gallery.models import TemplateKind
from gallery.selectors import template_choices
from gallery.services import template_fill
from gallery.shapes import FilledTemplate
from tenants.access import Actor, actor_of_membership
from tenants.db import in_db
from tenants.errors import BadRequest, NotFound
from tenants.models import Organization

FIND, USE = "find_templates", "use_template"
KINDS: Final = tuple(kind for kind in TemplateKind if kind != TemplateKind.PROMPT)
MAX_FOUND: Final = 20
FIND_TOOL: Final = ToolDefinition(
    FIND,
    "Finds templates for documents, programs, diagrams and sheets, by the organization and by Parley, with the values that each asks for. "
    "Look here first when the user wants something usual, such as meeting notes, an offer letter or a project plan.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words of its title, description or category. Blank: all."},
            "kind": {"type": "string", "enum": [*KINDS]},
        },
    },
)
USE_TOOL: Final = ToolDefinition(
    USE,
    "Makes a new artifact from a template, which the user sees at once. Ask the user for what is required and you don't know.",
    {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": f"As {FIND} gives it."},
            "values": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "By the placeholder's name. Dates as 2027-01-31. Those left out get their default.",
            },
        },
        "required": ["id", "values"],
    },
)


class TemplatesSettings(SourceSettings):
    """There are no settings."""

    def tool_names(self, source_name: str, pins: Mapping[str, Any]) -> tuple[str, ...]:
        return (FIND, USE)


@dataclass(frozen=True, slots=True)
class TemplateTools:
    """The templates that one run may use. Methods raise ToolFailed with messages for the model."""

    run: RunContext
    store: DatabaseArtifactStore

    async def find(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        words, kind = (arguments.get("query") or "").lower().split(), arguments.get("kind")
        choices = await in_db(self._choices, organization_id=self.run.organization_id)
        matches = [one for one in choices if kind in (None, one["kind"]) and all(word in _searchable_text(one) for word in words)]
        return ToolOutcome({"templates": matches[:MAX_FOUND], "total": len(matches)})

    async def use(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            filled_template = await in_db(self._fill, UUID(arguments["id"]), arguments["values"], organization_id=self.run.organization_id)
        except BadRequest as error:
            raise ToolFailed(error.message) from error
        except (NotFound, ValueError) as error:
            raise ToolFailed(f"There is no such template. {FIND} gives the ids.") from error
        version = WrittenVersion(
            artifact_id=self.store.new_id(context.call_id),
            title=filled_template.title,
            kind=filled_template.kind,
            parent=None,
            operation=Version.Operation.CREATE,
            content=filled_template.text,
            is_draft=False,
            call_id=context.call_id,
        )
        return stored_outcome(await self.store.save(version), context.call_id)

    def _choices(self) -> list[dict[str, Any]]:
        return template_choices(self._actor(), KINDS)

    def _fill(self, template_id: UUID, values: dict[str, str]) -> FilledTemplate:
        filled_template = template_fill(actor=self._actor(), template_id=template_id, values=values)
        if filled_template.kind not in KINDS:
            raise NotFound
        return filled_template

    def _actor(self) -> Actor:
        slug = Organization.objects.get(pk=self.run.organization_id).slug
        return actor_of_membership(membership_id=self.run.membership_id, slug=slug)


def _searchable_text(choice: dict[str, Any]) -> str:
    return f"{choice['title']}\n{choice['description']}\n{choice['category']}".lower()


@dataclass(frozen=True, slots=True)
class TemplatesKind:
    """Implements `SourceKind`."""

    name: str = "templates"
    label: str = _("Templates")
    help_text: str = _("Agents find templates of the gallery and make documents, programs, diagrams and sheets from them.")
    settings: type[TemplatesSettings] = TemplatesSettings
    secret_url: Callable[[Any], str] | None = None
    reads: Reads = PRIVATE_AND_UNTRUSTED

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        run = build.run
        store = DatabaseArtifactStore(
            organization_id=run.organization_id,
            author_id=run.membership_id,
            conversation_id=run.conversation_id,
            run_id=run.run_id,
            agent=build.agent.name,
        )
        tools = TemplateTools(run, store)
        # Repeatable: a version is stored once per run and call.
        traits = ToolTraits(repeatable=True, timeout_s=30.0, compact_template="looked for templates", reads=PRIVATE_AND_UNTRUSTED)
        find_traits = replace(traits, replay=ReplayRule.READS)
        use_traits = replace(traits, compact_template="used the template {id}")
        return function_tools(source, FunctionTool(FIND_TOOL, find_traits, tools.find), FunctionTool(USE_TOOL, use_traits, tools.use))
