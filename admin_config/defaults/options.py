"""Options that admins tune for every agent in the same way, with the platform's defaults (SPEC 3.4, 3.5, 3.8, 3.9, 3.14, 4.11).

An option is one field here: its type, its default, and how admins see it. Its column (admin_config.models.tuning), its field in the
form and its place in a release follow from that; agents.runtime.specs hands it to the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from django.utils.translation import gettext_noop as _
from pydantic import BaseModel, ConfigDict

Pruning = Literal["none", "before_last_message", "all"]
OptionGroup = Literal["sampling", "files", "tools", "approval", "checks", "end", "context"]

MAX_EQUAL_CALLS = 5  # the engine's ceiling, too (SECURITY 25)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """How admins see an option."""

    group: OptionGroup  # of fields on the agent's page; within it the options stand in the order of AgentOptions
    help: str = ""
    label: str | None = None  # None: the field's name
    low: float | None = None
    high: float | None = None
    decimals: int | None = None  # of an exact number
    choices: Mapping[str, str] | None = None  # labels by value
    text: Literal["line", "lines", "tool_names", "tool_choice", "pruning"] = "line"  # how a text is read
    of_answers: bool = False  # it has no effect on an agent that another one calls


_TOOL_POLICIES = {"parallel": _("All, side by side"), "single": _("One in each step")}
_COMPLETIONS = {"plain_text": _("A plain answer"), "message_tool": _("The message tool")}
_PRUNINGS = {"none": _("None"), "before_last_message": _("Before the last message"), "all": _("All")}


class AgentOptions(BaseModel):
    """Options of an agent. The defaults apply to blank fields, and to releases from before a field existed.

    None means no limit, or the model's own value. Fields named `..._percent` are shares of the model's window.
    """

    # protected_namespaces: `model_id` names a model, not one of pydantic's methods.
    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())

    top_p: Annotated[
        float | None,
        Option(group="sampling", label=_("top-p"), low=0, high=1, help=_("Only the likeliest words that add up to this share.")),
    ] = None
    top_k: Annotated[
        int | None, Option(group="sampling", label=_("top-k"), low=1, high=1000, help=_("Only this many of the likeliest words."))
    ] = None
    presence_penalty: Annotated[
        float | None, Option(group="sampling", low=-2, high=2, help=_("Above 0: rather new words than used ones."))
    ] = None
    frequency_penalty: Annotated[
        float | None,
        Option(group="sampling", low=-2, high=2, help=_("Above 0: the more often a word was used, the less it comes again.")),
    ] = None
    seed: Annotated[int | None, Option(group="sampling", help=_("Makes answers repeatable as far as the provider can."))] = None
    stop_sequences: Annotated[
        tuple[str, ...],
        Option(group="sampling", text="lines", help=_("The answer ends where one of these would appear. One on each line.")),
    ] = ()
    tool_policy: Annotated[
        Literal["parallel", "single"],
        Option(
            group="tools",
            label=_("calls of one step"),
            choices=_TOOL_POLICIES,
            help=_("One in each step: the others are given back to the model, which may ask again."),
        ),
    ] = "parallel"
    tool_choice: Annotated[
        str,
        Option(
            group="tools",
            text="tool_choice",
            help=_("auto: the model decides. required: it must call a tool. none: it may not. Or the name of the tool that it must call."),
        ),
    ] = "auto"
    active_tools: Annotated[
        tuple[str, ...] | None,
        Option(group="tools", text="tool_names", help=_("Only these are shown to the model. Names, one on each line. Blank: all.")),
    ] = None
    hidden_tools: Annotated[
        tuple[str, ...],
        Option(group="tools", text="tool_names", help=_("Never shown to the model, whatever else is set. Names, one on each line.")),
    ] = ()
    repair_tool_call: Annotated[
        bool,
        Option(
            group="tools",
            label=_("repair arguments"),
            help=_("The model corrects arguments that don't fit their tool once, in a short call of its own. Off: it sees the error."),
        ),
    ] = False
    ask_first: Annotated[
        bool,
        Option(
            group="approval",
            label=_("ask the user before each call"),
            help=_("The user sees what is asked of this agent and allows or refuses it."),
        ),
    ] = False
    completion: Annotated[
        Literal["plain_text", "message_tool"],
        Option(
            group="end",
            label=_("a run ends with"),
            choices=_COMPLETIONS,
            of_answers=True,
            help=_("The message tool: the agent speaks through it alone, and may also ask questions and report progress."),
        ),
    ] = "plain_text"
    max_reminders: Annotated[
        int,
        Option(
            group="end",
            low=0,
            high=10,
            help=_(
                "How often the model is told that it has not called the message tool, or that its call can't be read, before its work ends."
            ),
        ),
    ] = 2
    stop_on_tool_call: Annotated[
        tuple[str, ...], Option(group="end", text="tool_names", help=_("A call of one of these ends the run. Names, one on each line."))
    ] = ()
    max_equal_calls: Annotated[
        int, Option(group="end", low=1, high=MAX_EQUAL_CALLS, help=_("How often one tool may run with the same arguments in a run."))
    ] = MAX_EQUAL_CALLS
    max_repairs: Annotated[  # of an agent whose work is checked (a diagram)
        int,
        Option(
            group="checks",
            label=_("repairs"),
            low=0,
            high=10,
            help=_("How often work that is not correct goes back to the agent with the error, before it is shown with that error."),
        ),
    ] = 2
    attached_files: Annotated[  # of an agent that works on an instruction
        bool,
        Option(
            group="files",
            label=_("attached files"),
            help=_("The agent gets the files that are attached to the chat: their names, and the beginning of their texts."),
        ),
    ] = True
    token_budget: Annotated[int | None, Option(group="end", label=_("token budget"), low=1000, help=_("Of a run with its sub-agents."))] = (
        None
    )
    cost_budget_usd: Annotated[
        float | None,
        Option(
            group="end",
            label=_("cost budget (US dollars)"),
            low=0.0001,
            decimals=4,
            help=_("Of a run with its sub-agents. Needs the prices of the models."),
        ),
    ] = None
    compact_at_percent: Annotated[
        int,
        Option(
            group="context",
            label=_("shorten from (%)"),
            low=1,
            high=100,
            help=_("Share of the model's window. Above it, older messages become one line each."),
        ),
    ] = 75
    tail_percent: Annotated[
        int,
        Option(
            group="context",
            label=_("keep whole (%)"),
            low=1,
            high=100,
            help=_("Share of the window that the newest messages may fill and stay as they are."),
        ),
    ] = 15
    guard_percent: Annotated[
        int,
        Option(
            group="context",
            label=_("drop from (%)"),
            low=1,
            high=100,
            help=_("Share of the window. If it is still exceeded, the oldest messages are left out."),
        ),
    ] = 90
    prune_reasoning: Annotated[Pruning, Option(group="context", label=_("drop thinking from context"), choices=_PRUNINGS)] = "none"
    prune_tool_calls: Annotated[Pruning, Option(group="context", label=_("drop tool calls from context"), choices=_PRUNINGS)] = "none"
    prune_tools: Annotated[
        dict[str, Pruning],
        Option(
            group="context",
            label=_("drop calls of these tools"),
            text="pruning",
            help=_("Where a tool differs: its name and none, before_last_message or all, such as document_agent: all. One on each line."),
        ),
    ] = {}
    prune_empty: Annotated[
        bool,
        Option(group="context", label=_("drop empty answers"), help=_("Off: for models that were trained to see each of their turns.")),
    ] = True

    def shows(self, tool: str) -> bool:
        return tool not in self.hidden_tools and (self.active_tools is None or tool in self.active_tools)


def _option(name: str) -> Option:
    return next(part for part in AgentOptions.model_fields[name].metadata if isinstance(part, Option))


OPTIONS: Mapping[str, Option] = {name: _option(name) for name in AgentOptions.model_fields}


def option_group(group: OptionGroup, *, for_answers: bool = True) -> list[str]:
    """Return the names of the group's options. `for_answers`: the agent answers a member, not another agent."""
    return [name for name, option in OPTIONS.items() if option.group == group and (for_answers or not option.of_answers)]
