"""Failed runs of the last day by error, with samples and what their members saw."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from chat.models import Part, Run

WINDOW: Final = timedelta(days=1)
MAX_CLASSES: Final = 20
LOOKED_AT: Final = 200  # newest failed runs, from which samples are taken
SAMPLES: Final = 3  # of an error


@dataclass(frozen=True, slots=True)
class Sample:
    """A failed run."""

    id: UUID
    organization_id: UUID
    at: datetime
    saw: str  # by its member; "": not read


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """The runs that failed with the same error."""

    code: str
    runs: int
    members: int
    organizations: int
    samples: list[Sample]

    @property
    def words(self) -> str:
        return self.code.replace("_", " ") or gettext("unknown")

    @property
    def saw(self) -> str:
        return next((sample.saw for sample in self.samples if sample.saw), "")


def error_classes(runs: QuerySet[Run], parts: QuerySet[Part] | None) -> list[ErrorClass]:
    """Return the errors of the last day, the most frequent first. Three statements, on the index of failed runs.

    `parts`: where the notices are that members saw; None: they are not read.
    """
    failed = runs.filter(status=Run.Status.FAILED, created_at__gte=timezone.now() - WINDOW).order_by()
    counts = failed.values("error_code").annotate(
        runs=Count("pk"), members=Count("conversation__owner_id", distinct=True), organizations=Count("organization_id", distinct=True)
    )
    rows: list[dict[str, Any]] = [dict(row) for row in counts.order_by("-runs", "error_code")[:MAX_CLASSES]]
    samples = _samples(failed, parts) if rows else {}
    return [
        ErrorClass(row["error_code"], row["runs"], row["members"], row["organizations"], samples.get(row["error_code"], [])) for row in rows
    ]


def _samples(failed: QuerySet[Run], parts: QuerySet[Part] | None) -> dict[str, list[Sample]]:
    newest = failed.order_by("-created_at").values("error_code", "pk", "organization_id", "created_at", "answer_id")[:LOOKED_AT]
    rows_by_code: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in newest:
        if len(rows_by_code[row["error_code"]]) < SAMPLES:
            rows_by_code[row["error_code"]].append(dict(row))
    answers = [row["answer_id"] for rows in rows_by_code.values() for row in rows]
    saw = _notices(parts, answers) if parts is not None and answers else {}
    return {
        code: [Sample(row["pk"], row["organization_id"], row["created_at"], saw.get(row["answer_id"], "")) for row in rows]
        for code, rows in rows_by_code.items()
    }


def _notices(parts: QuerySet[Part], answer_ids: list[UUID]) -> dict[UUID, str]:
    """Return the last notice of each answer."""
    rows = parts.filter(message_id__in=answer_ids, kind="notice").order_by("position").values_list("message_id", "content")
    return {message_id: str(content.get("text", "")) for message_id, content in rows}
