"""Cases as CSV: name, must_pass, earlier, question, then a column for each check, with a column "… (more)" for its second field.

A case with two checks of a kind has the column twice. Cells that a spreadsheet would run have an apostrophe in front, which is taken off again.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from django.utils.translation import gettext

from evaluations.graders.answer import ExpectedResult
from evaluations.graders.kinds import KINDS
from evaluations.interchange.cases import CaseContent, case_check, earlier_as_text, earlier_from_text, name_of, plain_value
from security.csv_cells import csv_text, safe_cell
from tenants.errors import BadRequest

FIXED = ("name", "must_pass", "earlier", "question")
MORE = " (more)"
JSON_OF_ANY_KIND = "{}"  # a cell that is not blank stands for a check; a schema may be blank


def write(cases: Iterable[CaseContent]) -> str:
    cases = list(cases)
    counts = {kind: max((Counter(each.kind for each in case.expected)[kind] for case in cases), default=0) for kind in KINDS}
    columns = [kind for kind in KINDS for _ in range(counts[kind])]
    head = [*FIXED, *(name for kind in columns for name in _names(kind))]
    return csv_text([head, *(list(_row(case, columns)) for case in cases)])


def read(text: str) -> list[CaseContent]:
    """Raises BadRequest, which names the row."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise BadRequest(gettext("The file is no CSV that can be read. Save it as CSV with commas.")) from error
    if not rows:
        return []
    head = [name.strip().removeprefix("\ufeff") for name in rows[0]]
    column_names = {*FIXED, *(name for kind in KINDS for name in _names(kind))}
    if "question" not in head or not column_names.issuperset(head):
        unknown = ", ".join(sorted(set(head) - column_names))
        raise BadRequest(
            gettext("Unknown columns: %(unknown)s.") % {"unknown": unknown} if unknown else gettext("The file needs a column “question”.")
        )
    return [
        _case(head, row, gettext("Row %(number)s") % {"number": number})
        for number, row in enumerate(rows[1:], start=2)
        if any(cell.strip() for cell in row)
    ]


def _names(kind: str) -> tuple[str, ...]:
    return (kind, f"{kind}{MORE}") if KINDS[kind].detail else (kind,)


def _row(case: CaseContent, columns: Sequence[str]) -> Iterator[str]:
    yield from (case.name, "yes" if case.marked else "", earlier_as_text(case.messages[:-1]), case.question)
    left = list(case.expected)
    for kind in columns:
        each = next((each for each in left if each.kind == kind), None)
        if each is not None:
            left.remove(each)
        yield (each.value or JSON_OF_ANY_KIND) if each else ""
        if KINDS[kind].detail:
            yield each.detail if each else ""


def _case(head: Sequence[str], row: Sequence[str], place: str) -> CaseContent:
    cells = [(name, plain_value(_plain(cell), f"{place}, {name}")) for name, cell in zip(head, row, strict=False)]
    fixed_cells = {name: cell for name, cell in cells if name in FIXED}
    try:
        earlier = earlier_from_text(fixed_cells.get("earlier", ""))
    except BadRequest as error:
        raise BadRequest(f"{place}: {error}") from error
    question = fixed_cells.get("question", "")
    is_marked = fixed_cells.get("must_pass", "").strip().lower() in {"yes", "true", "1", "x"}
    messages = [*earlier, {"role": "user", "text": question}]
    return case_check(
        CaseContent(
            name=name_of(fixed_cells.get("name"), question), messages=messages, expected=list(_read_expectations(cells)), marked=is_marked
        ),
        place,
    )


def _read_expectations(cells: Sequence[tuple[str, str]]) -> Iterator[ExpectedResult]:
    for at, (name, cell) in enumerate(cells):
        if name in KINDS and cell.strip():
            after = cells[at + 1] if at + 1 < len(cells) else ("", "")
            yield ExpectedResult(name, cell, after[1] if after[0] == f"{name}{MORE}" else "")


def _plain(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and safe_cell(cell[1:]) == cell else cell
