"""Releases and the draft of an organization: their pages, and what each has."""

from __future__ import annotations

import re

from django.test import Client

from admin_config.models import AgentConfig, AppSettings, Release
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.pages import ACME, Page
from tests.support.accounts.cast import Cast

RELEASES = f"{ACME}admin_config/release/"
PUBLISH = f"{RELEASES}publish/"
DRAFT_HASH_FIELD = re.compile(r'name="seen" value="(\w+)"')


def settings_url(organization: Organization) -> str:
    with tenant_tx(organization.id):
        return f"{ACME}admin_config/appsettings/{AppSettings.objects.get().pk}/change/"


def live_steps(cast: Cast) -> int:
    with tenant_tx(cast.acme.id):
        return live_release(organization_id=cast.acme.id).snapshot.agents["chat_model_agent_google"].max_steps


def drafted_steps(cast: Cast) -> int | None:
    with tenant_tx(cast.acme.id):
        return AgentConfig.objects.get(key="chat_model_agent_google").max_steps


def release_id(cast: Cast, number: int) -> str:
    with tenant_tx(cast.acme.id):
        return str(Release.objects.get(number=number).pk)


def text_of(page: Page) -> str:
    text: str = page.content.decode()
    return text


def publish(client: Client, *, draft_hash: str, note: str = "Better") -> str:
    return text_of(client.post(f"{RELEASES}publish/", {"note": note, "seen": draft_hash}, follow=True))


def draft_hash_on(client: Client, page: str = f"{RELEASES}publish/") -> str:
    draft_hash: str = DRAFT_HASH_FIELD.findall(text_of(client.get(page)))[0]
    return draft_hash
