"""CSV that spreadsheets open as text: a cell that begins a formula gets an apostrophe in front (OWASP, CSV injection).

The only writer of CSV for downloads; `frontend/src/artifacts/sheet/formulas.ts` does the same in the browser.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

# Spreadsheets skip white space and read full-width characters as well.
_FORMULA = re.compile(r"[\s\ufeff\x00]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_NUMBER = re.compile(r"\s*[+-]?[\d.,' ]*\d\s*(?:%|[a-z\u20ac$\u00a3]{1,3})?\s*", re.IGNORECASE)


def safe_cell(text: str) -> str:
    """Return the cell, with an apostrophe in front when a spreadsheet would take it for a formula. Numbers stay as they are."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def csv_text(rows: Iterable[Sequence[object]], separator: str = ",", *, line_end: str = "\n") -> str:
    """Return the rows as CSV whose cells are no formulas (RFC 4180)."""
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=line_end).writerows(
        [safe_cell("" if cell is None else str(cell)) for cell in row] for row in rows
    )
    return out.getvalue()


def has_formula(rows: Iterable[Sequence[str]]) -> bool:
    return any(safe_cell(cell) is not cell for row in rows for cell in row)
