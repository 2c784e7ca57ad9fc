"""Agents as tools: one asks the chat agent, and one each assistant that the member may choose."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Annotated, Final
from uuid import UUID

from django.utils.translation import gettext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent, Tool
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.release import AgentSnapshot
from admin_config.services.selectors import live_release
from agents.assistants import assistants_for
from agents.runtime.request_overrides import RequestOverrides
from artifacts.models import Version
from chat.api.sse import request_keys
from chat.mcp_server.requests import Context, handler, request_of
from chat.mcp_server.resources import artifact_uri
from chat.models import Message
from chat.openai_api.agent_completion import AgentCompletion
from chat.openai_api.agent_questions import ParsedTurn, Question
from chat.openai_api.completion import Completion
from chat.openai_api.message_counting import MessageCount, catalogue_and_limits
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import NotFound
from tenants.rest.http import OrganizationRequest
from tenants.rest.throttles import rate_check_async

ASK: Final = "ask"  # the chat agent's tool; an assistant's is ask_<key>
MAX_MESSAGE_CHARS: Final = 200_000
PROGRESS_S: Final = 2.0  # seconds between two reports, which keep a client from giving up


class Arguments(BaseModel):
    """What a tool is called with."""

    model_config = ConfigDict(extra="forbid")

    message: Annotated[str, StringConstraints(min_length=1, max_length=MAX_MESSAGE_CHARS, strip_whitespace=True)] = Field(
        description="The question or task, with everything that the agent must know."
    )
    conversation: Annotated[str, StringConstraints(max_length=64)] = Field(
        default="", description="The conversation of an earlier answer, to go on there; none: a new one."
    )


class WrittenArtifact(BaseModel):
    """A document that the agent wrote while it answered."""

    uri: str
    title: str
    kind: str
    version: int


class Answer(BaseModel):
    """What a tool returns."""

    answer: str
    conversation: str
    artifacts: list[WrittenArtifact]


@handler
async def tools_list(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
    """Return a tool for each agent that the member may ask."""
    actor = request_of(context).actor
    assistants = await in_db(_assistants, actor, organization_id=actor.organization_id)
    return ListToolsResult(tools=[_tool(ASK, "Parley", gettext("Asks the organization's chat agent.")), *map(_assistant_tool, assistants)])


async def tool_call(context: Context, params: CallToolRequestParams) -> CallToolResult:
    """Ask the agent and return its whole answer. What goes wrong is a result that says so, for the model that called."""
    if params.name != ASK and not params.name.startswith(f"{ASK}_"):
        raise MCPError(INVALID_PARAMS, _no_tool(params.name))
    try:
        arguments = Arguments.model_validate(params.arguments or {})
    except ValidationError as exc:
        return _failure(" ".join(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}." for problem in exc.errors(include_url=False)))
    try:
        return await _answer(context, (params.name, arguments))
    except MCPError as error:
        return _failure(error.message)


@handler
async def _answer(context: Context, call: tuple[str, Arguments]) -> CallToolResult:
    request = request_of(context)
    await rate_check_async("chat", request.actor, request.token)
    completion = await _begin(request, *call)
    progress = asyncio.create_task(_report_progress(context, completion))
    try:
        text = await _text(completion)
    finally:
        progress.cancel()
        await asyncio.gather(progress, return_exceptions=True)
    artifacts = await in_db(_artifacts_of, completion.run_id, organization_id=request.actor.organization_id)
    answer = Answer(answer=text, conversation=str(completion.conversation_id), artifacts=artifacts)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer.model_dump())


async def _begin(request: OrganizationRequest, tool: str, arguments: Arguments) -> AgentCompletion:
    """Raises NotFound for a tool that names no assistant of the member's."""
    agent = tool.removeprefix(f"{ASK}_") if tool != ASK else CHAT_AGENT
    token_id = request.token.token_id if request.token else None
    catalogue, limits = await catalogue_and_limits(request.actor, token_id, agent)
    assistant = catalogue.assistant(agent)
    if tool != ASK and not assistant:
        raise NotFound(_no_tool(tool))
    question = Question(
        turns=[ParsedTurn(Message.Role.USER, arguments.message.replace("\x00", ""))],
        model_config_id=catalogue.model(agent).id,
        assistant=assistant,
        thinking=False,
        request_overrides=RequestOverrides(),
        conversation=arguments.conversation,
    )
    count = MessageCount(request.actor, token_id, limits)
    return await AgentCompletion.begin(request.actor, question, request_keys(request), count, streamed=False)


async def _text(completion: AgentCompletion) -> str:
    async with aclosing(completion.parts()) as parts:
        async for part in parts:
            if isinstance(part, Completion):
                return part.text
    raise AssertionError("a completion source ends with a Completion or an error")


async def _report_progress(context: Context, completion: AgentCompletion) -> None:
    """Tell the client every PROGRESS_S how much of the answer is written, until cancelled."""
    reports = 0
    while True:
        await asyncio.sleep(PROGRESS_S)
        reports += 1
        message = gettext("%(count)d characters written") % {"count": completion.text_length}
        await context.session.report_progress(reports, message=message)


def _assistants(actor: Actor) -> list[AgentSnapshot]:
    release = live_release(organization_id=actor.organization_id, membership_id=actor.membership_id)
    return assistants_for(release.snapshot, actor)


def _assistant_tool(agent: AgentSnapshot) -> Tool:
    assert agent.assistant is not None
    title = agent.assistant.title
    return _tool(f"{ASK}_{agent.key}", title, agent.assistant.description or gettext("Asks %(title)s.") % {"title": title})


def _tool(name: str, title: str, description: str) -> Tool:
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema=Arguments.model_json_schema(),
        output_schema=Answer.model_json_schema(),
    )


def _artifacts_of(run_id: UUID) -> Sequence[WrittenArtifact]:
    versions = Version.objects.select_related("artifact").filter(run_id=run_id, is_draft=False, artifact__deleted_at=None).defer("content")
    newest = {version.artifact_id: version for version in versions.order_by("number")}
    return [
        WrittenArtifact(uri=artifact_uri(one.artifact_id), title=one.artifact.title, kind=one.artifact.kind, version=one.number)
        for one in newest.values()
    ]


def _no_tool(name: str) -> str:
    return gettext("There is no tool %(name)s.") % {"name": name[:80]}


def _failure(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
