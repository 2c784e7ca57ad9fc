"""A function of the page around the chat that the agent may call (docs/decisions/0090).

An admin defines it, because its description is an instruction to the model. The page only says, by name, that it carries it out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.translation import gettext_noop as _
from pydantic import Field

from admin_config.release import ToolSourceSnapshot
from agents.engine.open_calls import CLIENT_DID_NOT_ANSWER
from agents.engine.ports import Danger, ToolContext, ToolOutcome, ToolTraits
from agents.engine.taint import NOTHING, PAGE, PRIVATE_AND_UNTRUSTED, Reads
from agents.messages import ToolDefinition
from agents.tools.arguments_schema import ArgumentsSchema, ToolDescription, schema_for_models
from agents.tools.base import FunctionTool, LoadedTools, SourceSettings, ToolBuildContext, function_tools, tool_name

FAILED: Final = "The page could not do it: {error}"
TRAITS: Final = ToolTraits(
    repeatable=True,  # all it does is ask the client
    danger=Danger.MODERATE,
    by_client=True,
    reads=PRIVATE_AND_UNTRUSTED,
    sends=True,
    destination=lambda arguments: PAGE,
)


class PageToolSettings(SourceSettings):
    description: ToolDescription
    input_schema: ArgumentsSchema = {}
    is_trusted: bool = Field(
        default=False,
        title=_("Trusted page"),
        description=_(
            "Calls go to the page also after the chat has read files, web pages or answers of other tools. Otherwise they then ask first, which "
            "visitors of embedded chats can't answer: for them such a call is refused."
        ),
    )


@dataclass(frozen=True, slots=True)
class PageToolKind:
    """Implements `SourceKind`. Sub-agents do not get the tool: their calls can't wait for the page."""

    name: str = "page_tool"
    label: str = _("Tool of the host page")
    help_text: str = _(
        "For chats inside a page of yours: a function that the page registers under this tool's name and carries out when the agent calls it. "
        "Only the chat agent has this tool, and only where the page has registered it."
    )
    settings: type[PageToolSettings] = PageToolSettings
    secret_url: Callable[[Any], str] | None = None
    reads: Reads = NOTHING  # a sub-agent has no page; what the chat agent reads is in the tool's own traits

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        if tool_name(source, source.name) not in build.run.page_tools or len(build.path) > 1:
            return LoadedTools()
        settings = PageToolSettings.model_validate(source.settings)
        definition = ToolDefinition(source.name, settings.description, schema_for_models(settings.input_schema))
        return function_tools(source, FunctionTool(definition, replace(TRAITS, sends=not settings.is_trusted), _ask_page))


async def _ask_page(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
    """Return the result of the call, or the request that asks the page to carry it out."""
    client_output = context.client_output
    if client_output is None:
        return ToolOutcome(None, for_client=arguments)
    if client_output.is_error and client_output.output != CLIENT_DID_NOT_ANSWER:
        return ToolOutcome(FAILED.format(error=client_output.output), is_error=True)
    return ToolOutcome(client_output.output, is_error=client_output.is_error)
