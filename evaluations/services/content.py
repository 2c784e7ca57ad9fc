"""What an experiment depends on beside its release: its cases, and the model that judges. Equal content need not be asked again."""

from __future__ import annotations

import hashlib
from typing import TypedDict

import orjson

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.errors import RunConfigError
from admin_config.services.trials import live_snapshot
from evaluations.graders.judgement import JUDGE
from evaluations.models import DataSet


class Content(TypedDict):
    revision: str
    judge: str


def content_of(data_set: DataSet) -> Content:
    """Return a hash of the cases with their checks, and the judge's model; empty when no model judges. At most six queries."""
    cases = list(data_set.cases.prefetch_related("expectations").order_by("pk"))
    texts = [
        (str(case.pk), case.messages, case.marked, [(row.kind, row.value, row.detail) for row in case.expectations.all()]) for case in cases
    ]
    is_judged = any(row.kind == JUDGE for case in cases for row in case.expectations.all())
    return Content(revision=hashlib.sha256(orjson.dumps(texts)).hexdigest(), judge=_judge() if is_judged else "")


def _judge() -> str:
    """Return the model of the live chat agent, which judges (agents.judging)."""
    snapshot = live_snapshot()
    try:
        provider = snapshot.provider_of(None) if snapshot else ""
        return f"{provider}:{snapshot.model(None, snapshot.agent(CHAT_AGENT, provider)).model_id}"[:160] if snapshot else ""
    except RunConfigError:
        return ""
