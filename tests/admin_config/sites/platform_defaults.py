"""The platform's defaults: their pages, and how organizations come to follow them."""

from __future__ import annotations

import re

from django.test import Client

from admin_config.defaults.platform import CHAT_AGENT, agent_key
from admin_config.release import AgentSnapshot
from admin_config.services.platform.rollout import organizations_behind
from admin_config.services.selectors import live_release
from admin_config.tasks import organization_defaults_roll_out
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.pages import Page

DEFAULTS = "/operator/admin_config/platformdraft/"

CHAT = f"{DEFAULTS}{CHAT_AGENT}/change/"

GOOGLE = agent_key(CHAT_AGENT, "google")


def publish(operator: Client, note: str = "Better") -> Page:
    """Publish what the page shows, and bring it to all organizations, as the worker does."""
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', operator.get(f"{DEFAULTS}publish/").content.decode())
    answer = operator.post(f"{DEFAULTS}publish/", {"note": note, "seen": draft_hash}, follow=True)
    follow()
    return answer


def follow() -> None:
    for organization_id in list(organizations_behind()):
        assert organization_defaults_roll_out(str(organization_id))


def live(organization: Organization, key: str = GOOGLE) -> AgentSnapshot:
    with tenant_tx(organization.id):
        return live_release(organization_id=organization.id).snapshot.agents[key]
