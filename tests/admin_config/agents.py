"""An organization's agents: the pages of each, and what is live."""

from __future__ import annotations

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.models import AgentConfig
from admin_config.release import AgentSnapshot
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.pages import ACME

CHAT, DOCUMENT = "chat_model_agent_google", "document_agent_google"
# What a chat agent may call: the agents of artifacts and others, its own ways of speaking, and the tools that it has from the start.
KNOWN_TOOLS = (
    "document_agent, python_agent, mermaid_agent, provider_tools_agent, git_mcp_agent, message, fetch_url, update_page_state, plan"
)


def agent_url(organization: Organization, key: str = CHAT, page: str = "change") -> str:
    with tenant_tx(organization.id):
        return f"{ACME}admin_config/agentconfig/{AgentConfig.objects.get(key=key).id}/{page}/"


def live_agent(organization: Organization, kind: str = CHAT_AGENT) -> AgentSnapshot:
    """Return the live agent of this kind, with the active provider."""
    with tenant_tx(organization.id):
        return live_release(organization_id=organization.id).snapshot.agent(kind)
