"""The demo's script on every wire, at one address. The request's path, and for /v1/models its headers, select the wire."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from doubles.anthropic import AnthropicDouble
from doubles.asgi import Receive, Scope, Send, request_headers
from doubles.demo.replies import DemoScript
from doubles.demo.web_pages import is_page, send_page
from doubles.gemini import GeminiDouble
from doubles.openai import OpenAIDouble
from doubles.openai.request import CHAT
from doubles.script import Answer, Call, Fault, Finish, Item, ReceivedRequest, Thought

if TYPE_CHECKING:
    from doubles.mcp import McpDouble

GITHUB_DEMO_PATH = "/github/mcp/"  # also in admin_config.defaults.github
_ANTHROPIC, _OPENAI = "/v1/messages", ("/v1/responses", CHAT)
_UNREADABLE_ARGUMENTS = '{"'


class DemoServer:
    """An ASGI application with all wires, a web page and a small GitHub over MCP. Accepts any model, and any key or none.

    The wires are Gemini, Anthropic's Messages, OpenAI's Responses and Chat Completions.
    """

    def __init__(self, script: DemoScript, *, gemini: GeminiDouble | None = None) -> None:
        """Create the server. `gemini`: serves that wire instead of the script."""
        elsewhere = OtherWiresScript(script)
        self.gemini = gemini or GeminiDouble(keys=None, models=None, fallback=script)
        self.anthropic = AnthropicDouble(keys=None, models=None, fallback=elsewhere)
        self.openai = OpenAIDouble(keys=None, models=None, fallback=elsewhere)
        self._mcp: McpDouble | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path", "").startswith(GITHUB_DEMO_PATH):
            await self._github()(scope, receive, send)
        elif is_page(scope):
            await send_page(scope, receive, send)
        else:
            await self._wire_of(scope)(scope, receive, send)

    def _github(self) -> McpDouble:
        """Return the MCP double, created on first use because its SDK takes a while to import."""
        if self._mcp is None:
            from doubles.mcp import McpDouble, github_server

            self._mcp = McpDouble(github_server(read_only=False))
        return self._mcp

    def _wire_of(self, scope: Scope) -> GeminiDouble | AnthropicDouble | OpenAIDouble:
        """Return the double for the request. All three list models at /v1/models, where the headers decide."""
        path = scope.get("path", "")
        if path.startswith(_ANTHROPIC):
            return self.anthropic
        if path in _OPENAI:
            return self.openai
        headers = request_headers(scope) if path.startswith("/v1/models") and ":" not in path else {}
        if "anthropic-version" in headers:
            return self.anthropic
        return self.openai if "authorization" in headers else self.gemini


class OtherWiresScript:
    """The script with Gemini-specific items translated for the other wires."""

    def __init__(self, script: DemoScript) -> None:
        self._script = script

    def __call__(self, request: ReceivedRequest) -> Answer:
        answer = self._script(request)
        return replace(answer, items=tuple(other for item in answer.items for other in _translate(item, request)))


def _translate(item: Item, request: ReceivedRequest) -> tuple[Item, ...]:
    match item:
        case Finish(reason="MALFORMED_FUNCTION_CALL"):  # elsewhere the malformed call arrives as the model wrote it
            return tuple(Call(name, _UNREADABLE_ARGUMENTS) for name in request.tool_names[:1])
        case Finish():
            return ()
        case Fault(reason="API_KEY_INVALID"):
            return (Fault.status(401),)
        case Thought() if request.path == CHAT:  # has no standard field for thoughts; servers that show them use various ones
            return ()
        case _:
            return (item,)
