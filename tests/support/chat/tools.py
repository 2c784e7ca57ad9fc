"""Tools that a test gives to the chat agent of a workspace, as an admin would."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from admin_config.models import AgentConfig, AgentTool, ToolSource
from security.secrets.services import secret_create
from tenants.context import tenant_tx
from tests.support.chat.workspace import Workspace

CHAT_AGENT = "chat_model_agent_google"


def give_tool(
    workspace: Workspace, kind: str, *, secret: str = "", url: str = "", name: str = "", agent: str = CHAT_AGENT, **settings: Any
) -> UUID:
    """A source of this kind, given to the agent and published. `secret`: bound to `url`. Returns the source's id."""
    organization_id = workspace.organization.pk
    secret_row = secret_create(organization_id=organization_id, value=secret, url=url, purpose="test") if secret else None
    with tenant_tx(organization_id):
        AgentTool.objects.filter(agent__key=agent, source__kind=kind).delete()
        source = ToolSource.objects.create(name=name or f"{kind}_of_test", kind=kind, settings=settings, secret=secret_row)
        AgentTool.objects.create(agent=AgentConfig.objects.get(key=agent), source=source)
    workspace.publish()
    assert source.id is not None
    return source.id
