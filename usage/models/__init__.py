"""Rows of usage: sums over the call log, what they are made of, and calculations beside it.

Import the models from here; each module holds one group.
"""

from __future__ import annotations

from usage.models.comparisons import Reconciliation, RepricedSum, Repricing
from usage.models.progress import OrganizationStorage, UsageConversation, UsageProgress
from usage.models.sums import ConversationSum, MemberSum, ModelSum, UsageSum, UsageTime
from usage.models.tools import ToolAgentSum, ToolSum

__all__ = [
    "ConversationSum",
    "MemberSum",
    "ModelSum",
    "OrganizationStorage",
    "Reconciliation",
    "RepricedSum",
    "Repricing",
    "ToolAgentSum",
    "ToolSum",
    "UsageConversation",
    "UsageProgress",
    "UsageSum",
    "UsageTime",
]
