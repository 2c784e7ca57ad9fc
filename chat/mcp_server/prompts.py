"""Saved prompts as MCP prompts: those that the message box offers behind `/`. Each gap is an argument."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from mcp_types import (
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from chat.mcp_server.requests import Context, handler, request_of
from gallery.models import TemplateKind
from gallery.selectors import template_choices
from gallery.services import template_fill
from gallery.shapes import FilledTemplate
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import NotFound


@handler
async def prompts_list(context: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
    """Return the prompts of the organization, the member and Parley."""
    actor = request_of(context).actor
    choices = await in_db(template_choices, actor, [TemplateKind.PROMPT], organization_id=actor.organization_id)
    return ListPromptsResult(prompts=[_prompt(choice) for choice in choices])


@handler
async def prompt_get(context: Context, params: GetPromptRequestParams) -> GetPromptResult:
    """Return a prompt's text, as a message of the user, with the arguments in its gaps."""
    actor = request_of(context).actor
    template = await in_db(_fill, actor, params.name, params.arguments or {}, organization_id=actor.organization_id)
    message = PromptMessage(role="user", content=TextContent(type="text", text=template.text))
    return GetPromptResult(description=template.title, messages=[message])


def _fill(actor: Actor, name: str, values: dict[str, str]) -> FilledTemplate:
    try:
        template_id = UUID(name)
    except ValueError:
        raise NotFound from None
    template = template_fill(actor=actor, template_id=template_id, values=values)
    if template.kind != TemplateKind.PROMPT:
        raise NotFound
    return template


def _prompt(choice: dict[str, Any]) -> Prompt:
    arguments = [
        PromptArgument(name=one["name"], title=one.get("label") or None, required=one.get("required", False))
        for one in choice["placeholders"]
    ]
    return Prompt(name=choice["id"], title=choice["title"], description=choice["description"] or None, arguments=arguments)
