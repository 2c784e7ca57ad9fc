"""Imports cases from files, and exports them. All functions need the organization's transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_lazy

from evaluations.interchange import csv_rows, json_lines, promptfoo
from evaluations.interchange.cases import CaseContent
from evaluations.models import MAX_CASES, Case, DataSet, Expectation
from security.audit import audit
from tenants.access import Actor
from tenants.errors import BadRequest

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

READERS: Final[dict[str, tuple[StrOrPromise, Callable[[str], list[CaseContent]]]]] = {
    "jsonl": (gettext_lazy("JSON lines"), json_lines.read),
    "csv": ("CSV", csv_rows.read),
    "promptfoo": (gettext_lazy("promptfoo (YAML)"), promptfoo.read),
}
WRITERS: Final[dict[str, tuple[StrOrPromise, Callable[[Sequence[CaseContent]], str]]]] = {
    "jsonl": ("application/jsonl", json_lines.write),
    "csv": ("text/csv", csv_rows.write),
}


def cases_import(*, actor: Actor, data_set: DataSet, form: str, text: str) -> int:
    """Add a file's cases to the data set; return how many. All or none. Raises BadRequest, which says where the file is wrong."""
    if form not in READERS:
        raise BadRequest(gettext("Choose the kind of file."))
    cases = READERS[form][1](text)
    if not cases:
        raise BadRequest(gettext("The file has no cases."))
    check_room(data_set, len(cases))
    cases_add(data_set, cases)
    _audit(actor, data_set, "dataset.import", len(cases))
    return len(cases)


def cases_export(*, actor: Actor, data_set: DataSet, form: str) -> str:
    """Return the data set's cases as a file's text. Raises BadRequest."""
    if form not in WRITERS:
        raise BadRequest(gettext("Choose the kind of file."))
    cases = [case_content(case) for case in data_set.cases.prefetch_related("expectations")]
    _audit(actor, data_set, "dataset.export", len(cases))
    return WRITERS[form][1](cases)


def cases_add(data_set: DataSet, cases: Sequence[CaseContent]) -> list[Case]:
    """Store checked cases with their expectations. Two statements."""
    rows = [
        Case(
            data_set=data_set,
            name=case.name,
            messages=list(case.messages),
            marked=case.marked,
            tool_results=list(case.tool_results),
            recorded_tools=case.recorded_tools,
        )
        for case in cases
    ]
    Case.objects.bulk_create(rows)
    Expectation.objects.bulk_create(
        Expectation(case=row, position=position, kind=each.kind, value=each.value, detail=each.detail)
        for row, case in zip(rows, cases, strict=True)
        for position, each in enumerate(case.expected)
    )
    return rows


def case_content(case: Case) -> CaseContent:
    """Return the case in the form that files have. Reads its expectations, best prefetched."""
    expected = [row.expected for row in case.expectations.all()]
    return CaseContent(
        name=case.name,
        messages=case.messages,
        expected=expected,
        marked=case.marked,
        tool_results=case.tool_results,
        recorded_tools=case.recorded_tools,
    )


def case_mark_changed(case: Case, order: Sequence[UUID]) -> None:
    """Note that the case has changed, so that older results are shown as those of the former one. `order`: its expectations, as the page has them."""
    Case.objects.filter(pk=case.pk).update(changed_at=Now())
    places = {row_id: place for place, row_id in enumerate(order)}
    rows = sorted(case.expectations.all(), key=lambda row: places.get(row.pk, len(places)))
    for position, row in enumerate(rows):
        row.position = position
    Expectation.objects.bulk_update(rows, ["position"])


def check_room(data_set: DataSet, count: int) -> None:
    """Raise BadRequest when the data set would get too large."""
    if data_set.cases.count() + count > MAX_CASES:
        raise BadRequest(gettext("A data set can have %(max_cases)s cases. Make a second one.") % {"max_cases": MAX_CASES})


def _audit(actor: Actor, data_set: DataSet, action: str, count: int) -> None:
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind="dataset",
        object_id=data_set.pk,
        object_label=str(data_set),
        detail={"cases": count},
    )
