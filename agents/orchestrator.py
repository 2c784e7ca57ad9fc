"""From a run's release to agents that can work: prompt, model and tools of the chat agent (ARCHITECTURE 2, hop 4).

Nothing is connected until it is called. The keys live in these objects only, and those only as long as the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from django.conf import settings

from admin_config.defaults import PROVIDERS as DEFAULTS
from admin_config.errors import AgentNotConfigured, RunConfigError
from admin_config.release import AgentSnapshot, EndpointSnapshot, ReleaseSnapshot
from admin_config.selectors import live_release
from agents.artifact_agents.document import DocumentTool
from agents.artifact_agents.store import DatabaseArtifactStore
from agents.call_snapshots import ContextSource
from agents.calls import CallKind, CallOrigin, CallRecord, RecordedModel
from agents.engine.agent import AgentSpec, Completion
from agents.engine.budget import RunBudget
from agents.engine.errors import KeyMissing, RequestRefused
from agents.engine.messages import AssistantText, Entry, ModelRequest, ModelResponse, SystemPrompt, UserMessage
from agents.engine.ports import LanguageModel, Tool
from agents.message_tool import MessageTool
from agents.prompting import PromptFacts, composed_prompt
from agents.providers.base import Connection
from agents.providers.registry import PROVIDERS, language_model
from agents.specs import agent_spec, model_settings, run_budget
from security.egress import checked_client
from security.errors import SecretUnusable
from security.secret_text import SecretText
from security.services import secret_reveal
from tenants.db import in_db

CHAT, DOCUMENT = "chat_model_agent", "document_agent"
TITLE_MAX = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """Who asks, where, and what was chosen.

    `record_call` gets every model call of the run (SPEC 3.16); `branch`: the entries of the chat agent's branch as of now.
    `preferences`: what the user wrote about the answers they want.
    """

    organization_id: UUID
    organization_name: str
    membership_id: UUID
    user_name: str
    conversation_id: UUID
    run_id: UUID
    model_config_id: UUID
    thinking: bool
    record_call: Callable[[CallRecord], None]
    branch: Callable[[], Sequence[Entry]]
    preferences: str = ""


@dataclass(frozen=True, slots=True)
class BuiltAgent:
    """`budget` is a fresh run's: who takes one over adds what was spent."""

    spec: AgentSpec
    model: LanguageModel
    tools: tuple[Tool, ...]
    budget: RunBudget


async def chat_agent_build(snapshot: ReleaseSnapshot, context: RunContext) -> BuiltAgent:
    """The chat agent of the release's active provider. Raises RunConfigError, KeyMissing, RequestRefused."""
    agent = snapshot.agent(CHAT)
    model = snapshot.model(context.model_config_id, agent)
    endpoint = snapshot.endpoint(model.provider)
    connection = await _connection(endpoint, context.organization_id)
    spec = agent_spec(agent, model, system=composed_prompt(agent, _facts(context)), thinking=context.thinking)
    tools = (*_speech(spec), *_tools(snapshot, connection, context)) if model.supports_tools else ()
    recorded = RecordedModel(
        language_model(model.provider, connection),
        origin=_origin(CallKind.STEP, agent, endpoint),
        record=context.record_call,
        source=ContextSource(entries=context.branch, policy=spec.context),
    )
    return BuiltAgent(spec, recorded, tools, run_budget(agent, snapshot))


async def title_write(*, organization_id: UUID, conversation: str, record_call: Callable[[CallRecord], None]) -> str:
    """A title for the conversation's text by the chat agent's `title` operation; empty when that is switched off or says nothing.

    `record_call` gets the model call, also when it fails. Raises ProviderError.
    """
    try:
        snapshot = (await in_db(partial(live_release, organization_id=organization_id), organization_id=organization_id)).snapshot
        agent = snapshot.agent(CHAT)
        model = snapshot.model(None, agent)
        endpoint = snapshot.endpoint(model.provider)
    except RunConfigError:
        return ""
    operation = agent.operations.get("title")
    if operation is None or not operation.is_enabled:
        return ""
    request = ModelRequest(
        model=model.model_id,
        system=SystemPrompt(operation.system_prompt),
        entries=(UserMessage(operation.user_prompt(conversation=conversation)),),
    )
    titles = RecordedModel(
        language_model(model.provider, await _connection(endpoint, organization_id)),
        origin=_origin(CallKind.TITLE, agent, endpoint),
        record=record_call,
    )
    return _as_title(await _text_of(titles, request))


async def _text_of(model: LanguageModel, request: ModelRequest) -> str:
    text = ""
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, ModelResponse):
                text = "".join(entry.text for entry in event.entries if isinstance(entry, AssistantText))
    return text


def _as_title(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return first.lstrip("#").strip(" \"'“”*.")[:TITLE_MAX]


def _speech(spec: AgentSpec) -> tuple[Tool, ...]:
    return (MessageTool(),) if spec.completion is Completion.MESSAGE_TOOL else ()


def _tools(snapshot: ReleaseSnapshot, connection: Connection, context: RunContext) -> tuple[Tool, ...]:
    try:
        agent = snapshot.agent(DOCUMENT)
    except AgentNotConfigured:
        return ()
    model = snapshot.model(None, agent)
    endpoint = snapshot.endpoint(model.provider)

    def sub_agent_model(call_id: str) -> LanguageModel:
        origin = _origin(CallKind.SUB_AGENT, agent, endpoint, call_id)
        return RecordedModel(language_model(model.provider, connection), origin=origin, record=context.record_call)

    return (
        DocumentTool(
            agent=agent,
            model_name=model.model_id,
            settings=model_settings(agent, model, thinking=False),
            language_model=sub_agent_model,
            store=DatabaseArtifactStore(
                organization_id=context.organization_id,
                owner_id=context.membership_id,
                conversation_id=context.conversation_id,
                run_id=context.run_id,
            ),
        ),
    )


def _origin(kind: CallKind, agent: AgentSnapshot, endpoint: EndpointSnapshot, parent_call_id: str = "") -> CallOrigin:
    return CallOrigin(kind=kind, agent_key=agent.key, provider=endpoint.provider, endpoint=endpoint.name, parent_call_id=parent_call_id)


def _facts(context: RunContext) -> PromptFacts:
    return PromptFacts(
        date=datetime.now(UTC), organization=context.organization_name, user=context.user_name, preferences=context.preferences
    )


async def _connection(endpoint: EndpointSnapshot, organization_id: UUID) -> Connection:
    """The endpoint with the key that this organization may use there. Raises KeyMissing, RequestRefused."""
    if endpoint.provider not in PROVIDERS:
        raise RequestRefused(f"The provider {endpoint.provider} is not supported.")
    return Connection(
        base_url=endpoint.base_url,
        api_version=endpoint.api_version,
        key=await _key(endpoint, organization_id),
        timeout_s=endpoint.timeout_s,
        http=checked_client(),
    )


async def _key(endpoint: EndpointSnapshot, organization_id: UUID) -> SecretText | None:
    if endpoint.secret_id is not None:
        return await in_db(_reveal, endpoint, organization_id=organization_id)
    # The platform's own key goes to the provider's own address and nowhere else (SECURITY 11).
    if settings.GEMINI_API_KEY and endpoint.provider == "google" and endpoint.base_url.rstrip("/") == DEFAULTS["google"].base_url:
        return SecretText(settings.GEMINI_API_KEY)
    return None


def _reveal(endpoint: EndpointSnapshot) -> SecretText:
    assert endpoint.secret_id is not None
    try:
        return secret_reveal(secret_id=endpoint.secret_id, url=endpoint.base_url)
    except SecretUnusable as exc:
        raise KeyMissing(f"The key of {endpoint.name} can't be used any more. An admin has to enter it again.") from exc
