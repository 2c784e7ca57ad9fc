"""The tab "Evaluations" of an agent's page: what is required of it, what was asked of it, and where to ask more."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Q

from admin_config.models import AgentConfig
from evaluations.models import DataSet, Experiment, Requirement
from evaluations.services.matrix import columns_of

MAX_SHOWN: Final = 10


def agent_part(agent: AgentConfig) -> dict[str, Any]:
    """Return the template's context. Four queries."""
    newest = Experiment.objects.filter(agent_key=agent.key).select_related("data_set", "release").defer("release__content")[:MAX_SHOWN]
    requirements = Requirement.objects.filter(Q(agent_key__in=("", agent.key, agent.kind))).select_related("data_set")
    return {
        "asked": columns_of(list(newest)),
        "required": list(requirements),
        "data_sets": list(DataSet.objects.order_by("name")[:MAX_SHOWN]),
    }
