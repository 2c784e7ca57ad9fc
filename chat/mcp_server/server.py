"""The MCP server: what it offers, and who answers each request."""

from __future__ import annotations

from typing import Any, Final

from mcp.server.lowlevel.server import Server

from chat.mcp_server import prompts, resources, tools

INSTRUCTIONS: Final = (
    "The tools ask the agents of an organization's Parley. An answer names its conversation: send it along to go on there. "
    "Documents that agents write are resources."
)
SERVER: Final = Server[Any](
    "parley",
    title="Parley",
    instructions=INSTRUCTIONS,
    on_list_tools=tools.tools_list,
    on_call_tool=tools.tool_call,
    on_list_resources=resources.resources_list,
    on_list_resource_templates=resources.templates_list,
    on_read_resource=resources.resource_read,
    on_list_prompts=prompts.prompts_list,
    on_get_prompt=prompts.prompt_get,
)
