"""What an experiment depends on beside its release: its cases, and the model that judges. Equal content need not be asked again."""

from __future__ import annotations

import hashlib
from typing import TypedDict

import orjson
from django.db.models import prefetch_related_objects

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.errors import RunConfigError
from admin_config.release import ReleaseSnapshot
from evaluations.graders.judgement import JUDGE
from evaluations.models import DataSet


class Content(TypedDict):
    revision: str
    judge: str


def content_of(data_set: DataSet, live: ReleaseSnapshot | None) -> Content:
    """Return a hash of the cases with their checks, and the judge's model; empty when no model judges. At most two queries.

    `live`: the live release, whose chat agent judges.
    """
    prefetch_related_objects([data_set], "cases__expectations")
    cases = sorted(data_set.cases.all(), key=lambda case: case.pk)
    texts = [
        (
            str(case.pk),
            case.messages,
            case.marked,
            case.given_results,
            [(row.kind, row.value, row.detail) for row in case.expectations.all()],
        )
        for case in cases
    ]
    is_judged = any(row.kind == JUDGE for case in cases for row in case.expectations.all())
    return Content(revision=hashlib.sha256(orjson.dumps(texts)).hexdigest(), judge=_judge(live) if is_judged and live else "")


def _judge(live: ReleaseSnapshot) -> str:
    """Return the model of the live chat agent, which judges (agents.judging)."""
    try:
        provider = live.provider_of(None)
        return f"{provider}:{live.model(None, live.agent(CHAT_AGENT, provider)).model_id}"[:160]
    except RunConfigError:
        return ""
