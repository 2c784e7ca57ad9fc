"""Admin pages: registers which admin class shows which model on which site.

`sites` are the two sites, `agents` and `audit` the pages of agents and of audit logs, and the other modules hold one page each, on the classes in `base`.
files.admin, chat.admin and accounts.admin register their own pages here; admin_config.urls mounts both sites.

- `settings`, `providers` with `breakers` and `endpoint_connection`, `model_configs`, `assistants`, `secrets`: what is tuned.
  `currencies`: in what costs are shown.
- `tool_sources` with `openapi_import`, `tool_review`: tool sources, and the review of their tools.
- `publish_page`, `publish_changes`, `draft_pages`, `releases`: publishing, the whole draft, and what was published.
- `platform`: the platform's defaults, on the operator's site.
- `audit`: the audit logs. `labels`: the words of fields.
- `request_organization`: the organization whose admin answers a request.
"""

from __future__ import annotations

from admin_config.admin.agents.page import AgentAdmin
from admin_config.admin.assistants import AssistantAdmin
from admin_config.admin.audit.logs import AuditAdmin, PlatformAuditAdmin
from admin_config.admin.currencies import CurrencyRateAdmin
from admin_config.admin.model_configs import ModelAdmin
from admin_config.admin.platform import PlatformDraftAdmin, PlatformReleaseAdmin
from admin_config.admin.providers import EndpointAdmin
from admin_config.admin.releases import ReleaseAdmin
from admin_config.admin.secrets import SecretAdmin
from admin_config.admin.settings import SettingsAdmin
from admin_config.admin.sites import operator_site, organization_site
from admin_config.admin.tool_sources import ToolSourceAdmin
from admin_config.models import (
    AgentConfig,
    AppSettings,
    Assistant,
    CurrencyRate,
    ModelConfig,
    PlatformDraft,
    PlatformRelease,
    ProviderEndpoint,
    Release,
    ToolSource,
)
from security.models import AuditEvent, PlatformEvent, RegisteredSecret
from tenants.admin import MembershipsAdmin, UsersAdmin
from tenants.models import Membership, User

organization_site.register(AgentConfig, AgentAdmin)
organization_site.register(Assistant, AssistantAdmin)
organization_site.register(ToolSource, ToolSourceAdmin)
organization_site.register(ProviderEndpoint, EndpointAdmin)
organization_site.register(ModelConfig, ModelAdmin)
organization_site.register(CurrencyRate, CurrencyRateAdmin)
organization_site.register(Release, ReleaseAdmin)
organization_site.register(AppSettings, SettingsAdmin)
organization_site.register(RegisteredSecret, SecretAdmin)
organization_site.register(AuditEvent, AuditAdmin)

operator_site.register(User, UsersAdmin)
operator_site.register(Membership, MembershipsAdmin)
operator_site.register(PlatformEvent, PlatformAuditAdmin)
operator_site.register(PlatformDraft, PlatformDraftAdmin)
operator_site.register(PlatformRelease, PlatformReleaseAdmin)
