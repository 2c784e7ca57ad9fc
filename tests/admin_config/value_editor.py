"""The editor of a provider's value in the table *By provider*, as one admin has it open."""

from __future__ import annotations

import html
import re

from django.test import Client

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.models import AgentConfig
from admin_config.release import AgentSnapshot
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.pages import ACME

BASE, GOOGLE, OPENAI = (f"{CHAT_AGENT}_{provider}" for provider in ("all", "google", "openai"))

SKILLS = "sections.skills.is_enabled"


def agent_of(organization: Organization, key: str) -> AgentConfig:
    with tenant_tx(organization.id):
        return AgentConfig.objects.get(key=key)


def url_of(organization: Organization, key: str, place: str) -> str:
    return f"{ACME}admin_config/agentconfig/{agent_of(organization, key).pk}/value/?place={place}"


def live(organization: Organization, key: str) -> AgentSnapshot:
    with tenant_tx(organization.id):
        return live_release(organization_id=organization.id).snapshot.agents[key]


class Editor:
    """The editor of a value, as one admin has it open."""

    def __init__(self, client: Client, url: str) -> None:
        self.client, self.url = client, url
        response = client.get(url)
        assert response.status_code == 200
        self.text = html.unescape(response.content.decode())

    @property
    def stored_text(self) -> str:
        return str(re.findall(r'name="stored" value="([^"]*)"', self.text)[0])

    @property
    def opened_at(self) -> str:
        return str(re.findall(r'name="opened_at" value="([^"]*)"', self.text)[0])

    @property
    def name(self) -> str:
        return str(re.findall(r'<(?:input|select)[^>]* name="([\w-]+)"', self.text)[0])

    @property
    def problems(self) -> list[str]:
        return re.findall("<li>(.*?)</li>", self.text)

    def save(self, value: str, *columns: str) -> bool:
        """Return whether it was saved; `text` is then the row of the table, or else the editor with the problems."""
        form = {self.name: value, "stored": self.stored_text, "opened_at": self.opened_at, "column": columns}
        response = self.client.post(self.url, form)
        assert response.status_code == 200
        self.text = html.unescape(response.content.decode())
        return "data-row" in self.text
