"""REST view with which admins see what the model gets of an agent's prompt, while they write it (SPEC 3.13)."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from admin_config.defaults.platform import ALL_PROVIDERS
from admin_config.models import AgentConfig, ModelConfig
from admin_config.release import AgentSnapshot, SectionSnapshot
from admin_config.services.agents.bases import base_attach
from admin_config.services.agents.platform_agents import platform_agent
from admin_config.services.agents.prompt_limits import max_prompt_tokens, max_shared_tokens
from admin_config.services.drafts.agent_snapshots import AGENT_PARTS, agent_snapshot
from admin_config.validation.lengths import MAX_PROMPT_CHARS
from admin_config.validation.prompt_templates import template_problems
from agents.context.tokens import estimate_text
from agents.messages import SystemPrompt
from agents.prompts import PromptFacts, compose_prompt
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import BadRequest, NotFound
from tenants.models import Membership
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

MAX_SECTIONS = 50


class SectionText(BaseModel):
    """A section as it stands in the form. A blank text is the platform's default."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(default="", max_length=MAX_PROMPT_CHARS * 2)
    is_enabled: bool = Field(default=True, alias="isEnabled")


class PromptTexts(BaseModel):
    """The texts of an agent's prompt, saved or not."""

    model_config = ConfigDict(extra="forbid")

    system_prompt: str = Field(default="", max_length=MAX_PROMPT_CHARS * 2, alias="systemPrompt")
    sections: dict[str, SectionText] = Field(default={}, max_length=MAX_SECTIONS)


class PromptPreview(ResponseSchema):
    """The composed prompt, for the admin who asks and now. `stable` is what a provider's cache keeps.

    Sections have their tokens by name, also those that are switched off.
    """

    stable: str
    changing: str
    tokens: int
    stable_tokens: int
    section_tokens: dict[str, int]
    max_tokens: int


class PromptPreviewView(RestView):
    admin = True
    scope = "session"

    @operation(
        "previewPrompt",
        "Compose an agent's prompt from unsaved texts",
        tag="agents",
        answer=PromptPreview,
        body=PromptTexts,
        idempotent=False,
    )
    def post(self, request: ActorRequest, agent_id: UUID) -> PromptPreview:
        texts = self.body(PromptTexts)
        with tenant_tx(request.actor.organization_id):
            agent = _agent(agent_id, texts)
            prompt = compose_prompt(agent, _facts(request.actor))
            limit = _limit(agent.provider)
        return _preview(agent, prompt, limit[0] if limit else 0)


def _limit(provider: str) -> tuple[int, str] | None:
    if provider == ALL_PROVIDERS:
        return max_shared_tokens()
    return max_prompt_tokens(ModelConfig.objects.filter(is_enabled=True), provider)


def _preview(agent: AgentSnapshot, prompt: SystemPrompt, max_tokens: int) -> PromptPreview:
    stable_tokens, changing_tokens = estimate_text(prompt.stable), estimate_text(prompt.changing)
    return PromptPreview(
        stable=prompt.stable,
        changing=prompt.changing,
        tokens=stable_tokens + changing_tokens,
        stable_tokens=stable_tokens,
        section_tokens={name: estimate_text(section.text) for name, section in agent.sections.items()},
        max_tokens=max_tokens,
    )


def _agent(agent_id: UUID, texts: PromptTexts) -> AgentSnapshot:
    """Return the draft's agent with these texts in place of its own. Raises NotFound, and BadRequest for a wrong template."""
    row = AgentConfig.objects.prefetch_related(*AGENT_PARTS, "tools__source", "tools__sub_agent").filter(pk=agent_id).first()
    if row is None:
        raise NotFound
    agent = agent_snapshot(base_attach(row))
    below = agent_snapshot(row.base) if row.base is not None else platform_agent(row.kind, row.defaults)
    sections = dict(agent.sections)
    for section in row.defaults.sections:
        override = texts.sections.get(section.name)
        if override is None:
            continue
        if override.text and section.placeholders:
            problems = template_problems(override.text, allowed=section.placeholders, required=section.required)
            if problems:
                raise BadRequest(f"{section.name.replace('_', ' ').capitalize()}: {problems[0]}")
        sections[section.name] = SectionSnapshot(is_enabled=override.is_enabled, text=override.text or below.sections[section.name].text)
    return agent.model_copy(update={"system_prompt": texts.system_prompt or below.system_prompt, "sections": sections})


def _facts(actor: Actor) -> PromptFacts:
    member = Membership.objects.select_related("user", "organization").get(pk=actor.membership_id)
    return PromptFacts(date=datetime.now(UTC), organization=member.organization.name, user=member.user.name, preferences=member.preferences)
