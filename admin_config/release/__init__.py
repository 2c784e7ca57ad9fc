"""Typed content of a release: the configuration that a run keeps from its start to its end.

Stored snapshots are read forever. A new field therefore needs a default, and unknown fields of newer releases are ignored.
Import the snapshots from here; each module holds one group, and `content` the whole.
"""

from __future__ import annotations

from admin_config.release.agents import (
    AgentSnapshot,
    AgentToolSnapshot,
    AssistantSnapshot,
    OperationSnapshot,
    PluginSnapshot,
    SectionSnapshot,
    StarterSnapshot,
    StepRuleSnapshot,
)
from admin_config.release.content import ReleaseSnapshot
from admin_config.release.providers import EndpointSnapshot, ModelSnapshot, endpoint_with_demo_url
from admin_config.release.tool_sources import ToolRule, ToolSourceSnapshot

__all__ = [
    "AgentSnapshot",
    "AgentToolSnapshot",
    "AssistantSnapshot",
    "EndpointSnapshot",
    "ModelSnapshot",
    "OperationSnapshot",
    "PluginSnapshot",
    "ReleaseSnapshot",
    "SectionSnapshot",
    "StarterSnapshot",
    "StepRuleSnapshot",
    "ToolRule",
    "ToolSourceSnapshot",
    "endpoint_with_demo_url",
]
