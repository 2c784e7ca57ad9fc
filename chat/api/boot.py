"""The data that the chat page starts with: the JSON of its element `boot` (docs/protocol.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal
from uuid import UUID

from django.conf import settings
from django.middleware.csrf import get_token
from django.urls import reverse

from admin_config.defaults.platform import PROVIDERS, is_demo
from admin_config.errors import RunConfigError
from admin_config.release import ReleaseSnapshot
from admin_config.services.currencies import currency_on
from admin_config.services.github_endpoints import github_source
from admin_config.services.selectors import live_release
from admin_config.services.switches import switches_of
from agents.api.assistant_views import AssistantItem, assistant_items
from files.kinds import MAX_FILE_BYTES, MAX_MESSAGE_BYTES, MAX_MESSAGE_FILES
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.localization.language import browser_language
from tenants.members import logo_path, member_use_note, picture_path
from tenants.models import Membership
from tenants.rest.http import OrganizationRequest
from tenants.rest.schemas import ResponseSchema


class BootOrganization(ResponseSchema):
    slug: str
    name: str
    accent_color: str
    logo_url: str | None


class BootCurrency(ResponseSchema):
    """In what costs, limits and budgets are shown, with what a US dollar is worth in it today. The API has them in US dollars."""

    code: str
    per_usd: float


class BootUser(ResponseSchema):
    name: str
    email: str
    picture_url: str | None


class BootProvider(ResponseSchema):
    name: str
    label: str
    is_demo: bool


class ModelChoice(ResponseSchema):
    id: UUID
    name: str
    provider: str
    provider_label: str
    supports_thinking: bool
    is_default: bool


class PageStarter(ResponseSchema):
    """What a new chat offers. `text` is sent to the demo, whose answers are scripted in English; others get it in the reader's language."""

    picture: Literal["document", "plot", "sequence", "sources"]
    text: str


class FileLimits(ResponseSchema):
    """Limits for the files of a message."""

    max_files: int
    max_bytes: int
    max_message_bytes: int


class ChatSwitch(ResponseSchema):
    """What a member switches for each message. `isOn`: how it is at first. `isPlatforms`: ours, and not the organization's own."""

    key: str
    label: str
    hint: str
    is_on: bool
    is_platforms: bool


class ChatSetup(ResponseSchema):
    """What the organization's configuration offers this member. `usesGithub`: whether files of repositories can be attached.

    `provider` is null and the others are empty while the configuration is incomplete.
    """

    provider: BootProvider | None
    models: list[ModelChoice]
    switches: list[ChatSwitch]
    assistants: list[AssistantItem]
    uses_github: bool


class Boot(ChatSetup):
    """What the page knows from the start. `language` is a BCP 47 tag, of the member's profile or else of their browser.

    `default_assistant`: the key of the one with which new chats begin, which may be gone; empty: the chat agent.
    """

    organization: BootOrganization
    organizations: list[BootOrganization]
    currency: BootCurrency
    user: BootUser
    role: Membership.Role
    default_assistant: str
    comment_mails: bool
    shows_cost: bool
    code_ligatures: bool
    language: str
    csrf_token: str
    api: str
    socket_url: str
    notify_url: str
    admin_url: str | None
    may_make_organizations: bool
    logout_url: str
    starters: list[PageStarter]
    files: FileLimits
    conversation_id: UUID | None


FILE_LIMITS = FileLimits(max_files=MAX_MESSAGE_FILES, max_bytes=MAX_FILE_BYTES, max_message_bytes=MAX_MESSAGE_BYTES)
STARTERS = [
    PageStarter(picture="document", text="Write a one-page market brief about green tea in Europe, with a table and a chart."),
    PageStarter(picture="plot", text="Write a Python program that plots our tea stock over twelve weeks."),
    PageStarter(picture="sequence", text="Draw a sequence diagram of how somebody signs in with a passkey."),
    PageStarter(picture="sources", text="Search the web: is green tea really brewed cooler than black tea?"),
]


def boot_data(request: OrganizationRequest, *, conversation_id: UUID | None) -> Boot:
    actor = request.actor
    memberships = list(
        Membership.objects.using("auth")
        .filter(user_id=actor.user_id, is_active=True, organization__is_active=True)
        .select_related("organization", "user")
        .order_by("organization__name")
    )
    own = next(membership for membership in memberships if membership.pk == actor.membership_id)
    member_use_note(own)
    base = f"/o/{actor.organization_slug}"
    with tenant_tx(actor.organization_id):
        setup, currency = _chat_setup(actor), currency_on()
    return Boot(
        organization=_organization(own),
        organizations=[_organization(membership) for membership in memberships],
        currency=BootCurrency(code=currency.code, per_usd=float(currency.per_usd)),
        user=BootUser(
            name=own.user.name or own.user.email, email=own.user.email, picture_url=picture_path(own.user, actor.organization_slug)
        ),
        role=Membership.Role(actor.role),
        default_assistant=own.default_assistant,
        comment_mails=own.comment_mails,
        shows_cost=own.shows_cost,
        code_ligatures=own.code_ligatures,
        language=own.user.language or browser_language(request),
        csrf_token=get_token(request),
        api=f"{base}/api",
        socket_url=f"{base}/ws/chat/",
        notify_url=f"{base}/ws/notify/",
        admin_url=f"{base}/admin/" if actor.can_audit else None,
        may_make_organizations=settings.USERS_MAKE_ORGANIZATIONS,
        logout_url=reverse("logout"),
        provider=setup.provider,
        models=setup.models,
        switches=setup.switches,
        assistants=setup.assistants,
        uses_github=setup.uses_github,
        starters=STARTERS,
        files=FILE_LIMITS,
        conversation_id=conversation_id,
    )


def _organization(membership: Membership) -> BootOrganization:
    row = membership.organization
    return BootOrganization(slug=row.slug, name=row.name, accent_color=row.accent_color, logo_url=logo_path(row))


def _chat_setup(actor: Actor) -> ChatSetup:
    try:
        with tenant_tx(actor.organization_id):
            snapshot = live_release(organization_id=actor.organization_id, membership_id=actor.membership_id).snapshot
            assistants = assistant_items(snapshot, actor)
        default_id = snapshot.chat_model(None)[1].id
    except RunConfigError:
        return ChatSetup(provider=None, models=[], switches=[], assistants=[], uses_github=False)
    name = snapshot.active_provider
    return ChatSetup(
        provider=BootProvider(name=name, label=PROVIDERS[name].label, is_demo=is_demo(name)),
        models=_models(snapshot, default_id),
        switches=[ChatSwitch.model_validate(asdict(switch)) for switch in switches_of(snapshot)],
        assistants=assistants,
        uses_github=github_source(snapshot) is not None,
    )


def _models(snapshot: ReleaseSnapshot, default_id: UUID) -> list[ModelChoice]:
    return [
        ModelChoice(
            id=model.id,
            name=model.display_name,
            provider=model.provider,
            provider_label=PROVIDERS[model.provider].label,
            supports_thinking=model.supports_thinking,
            is_default=model.id == default_id,
        )
        for model in snapshot.offered_models()
    ]
