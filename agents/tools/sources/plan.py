"""The plan tool: a checklist of the agent's work that the user sees (SPEC 4.10, docs/agents.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from django.utils.translation import gettext_noop as _

from admin_config.release import ToolSourceSnapshot
from agents.engine.ports import ReplayRule, ToolContext, ToolOutcome, ToolTraits
from agents.engine.taint import NOTHING, Reads
from agents.errors import ToolFailed
from agents.messages import ClientData, ToolDefinition
from agents.tools.base import FunctionTool, LoadedTools, SourceSettings, ToolBuildContext, function_tools

NAME: Final = "plan"
PART_ID: Final = "plan"  # one per answer; later calls update it in place
MAX_STEPS: Final = 20
MAX_TEXT_CHARS: Final = 200  # of a step or a title
STATES: Final = ("pending", "running", "done")
DESCRIPTION: Final = (
    "Shows the user a checklist of what you are going to do, and how far you are. For work of three steps or more: call it before the first "
    "step, and again whenever a step begins or ends, always with the whole list. Not for questions that one answer settles."
)
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "description": "What the work is about, in a few words."},
        "steps": {
            "type": "array",
            "description": f"The steps in their order, at most {MAX_STEPS}.",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "The step, in a few words."},
                    "state": {"type": "string", "enum": list(STATES)},
                },
                "required": ["text", "state"],
            },
        },
    },
    "required": ["title", "steps"],
}


class PlanSettings(SourceSettings):
    """There are no settings."""

    reserved_names: ClassVar[frozenset[str]] = frozenset({NAME})

    def tool_names(self, source_name: str, pins: Mapping[str, Any]) -> tuple[str, ...]:
        return (NAME,)


async def plan_show(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
    """Show the plan to the user. Raises ToolFailed for one without steps, with too many, or with an empty step."""
    steps = [{"text": _one_line(step["text"]), "state": step["state"]} for step in arguments["steps"]]
    if not 0 < len(steps) <= MAX_STEPS or not all(step["text"] for step in steps):
        raise ToolFailed(f"A plan has 1 to {MAX_STEPS} steps, each with a text.")
    done = sum(step["state"] == "done" for step in steps)
    plan = {"title": _one_line(arguments["title"]), "steps": steps}
    return ToolOutcome(f"The user sees the plan: {done} of {len(steps)} steps are done.", entries=(ClientData(PART_ID, plan, id=PART_ID),))


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_TEXT_CHARS]


TOOL: Final = FunctionTool(
    ToolDefinition(NAME, DESCRIPTION, SCHEMA),
    ToolTraits(repeatable=True, compact_template="plan: {title}", replay=ReplayRule.RUNS),
    plan_show,
)


@dataclass(frozen=True, slots=True)
class PlanKind:
    """Implements `SourceKind`."""

    name: str = "plan"
    label: str = _("Plan")
    help_text: str = _("The agent shows what it is going to do as a checklist in the chat, and ticks off what is done.")
    settings: type[PlanSettings] = PlanSettings
    secret_url: Callable[[Any], str] | None = None
    reads: Reads = NOTHING

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        return function_tools(source, TOOL)
