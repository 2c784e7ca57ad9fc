"""Models that admins tune, and the immutable releases made from them (docs/decisions/0004-releases.md).

Import the models from here; each module holds one group.
"""

from __future__ import annotations

from admin_config.models.agents import AgentConfig, AgentOperation, PromptSection, StepRule
from admin_config.models.assistants import Assistant, AssistantPicture
from admin_config.models.canaries import Canary
from admin_config.models.currencies import CurrencyRate
from admin_config.models.customized_texts import CustomizedText
from admin_config.models.organization_settings import APPROVAL_DAYS, DELETED_KEPT_DAYS, AppSettings
from admin_config.models.platform import PlatformDraft, PlatformRelease
from admin_config.models.plugins import AgentPlugin
from admin_config.models.prices import ModelPrice
from admin_config.models.providers import ModelConfig, ProviderEndpoint
from admin_config.models.releases import Release
from admin_config.models.schedules import ScheduledRelease
from admin_config.models.tools import AgentTool, ToolSource

__all__ = [
    "APPROVAL_DAYS",
    "DELETED_KEPT_DAYS",
    "AgentConfig",
    "AgentOperation",
    "AgentPlugin",
    "AgentTool",
    "AppSettings",
    "Assistant",
    "AssistantPicture",
    "Canary",
    "CurrencyRate",
    "CustomizedText",
    "ModelConfig",
    "ModelPrice",
    "PlatformDraft",
    "PlatformRelease",
    "PromptSection",
    "ProviderEndpoint",
    "Release",
    "ScheduledRelease",
    "StepRule",
    "ToolSource",
]
