"""Keyset pagination: a page begins after the last row of the previous one, which an opaque cursor names."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from tenants.errors import BadRequest

PAGE_SIZE = 30
MAX_PAGE_SIZE = 100


def to_utc(moment: datetime) -> datetime:
    """Return the time in UTC. Raises ValueError when it is out of range there.

    PostgreSQL accepts fewer UTC offsets than Python.
    """
    try:
        return moment.astimezone(UTC)
    except OverflowError as exc:
        raise ValueError("out of range") from exc


Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")
UtcDatetime = Annotated[AwareDatetime, AfterValidator(to_utc)]
Cursor = Annotated[str, StringConstraints(max_length=300)]


class QueryParams(BaseModel):
    """Base of query parameter schemas."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())


class PageQuery(QueryParams):
    cursor: Cursor = Field(default="", description="`nextCursor` of the page before; none for the first.")
    limit: int = Field(default=PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None  # None on the last page


def paginate_newest_first(rows: QuerySet[Row], *, field: str, cursor: str, limit: int) -> Page[Row]:
    """Return one page of `rows`, newest first by `field` and then by id. One query. Raises BadRequest for an invalid cursor."""
    rows = rows.order_by(f"-{field}", "-id")
    if cursor:
        at, last_id = time_cursor_decode(cursor)
        rows = rows.filter(Q(**{f"{field}__lt": at}) | Q(**{field: at, "id__lt": last_id}))
    return page_slice(rows[: limit + 1], limit, lambda row: time_cursor(getattr(row, field), row.pk))


def page_slice(found: Iterable[Item], limit: int, cursor_of: Callable[[Item], str]) -> Page[Item]:
    """Return the first `limit` items as a page. `found` has one item more than that when another page follows."""
    rows: list[Item] = list(found)
    page = rows[:limit]
    return Page(page, cursor_of(page[-1]) if len(rows) > limit else None)


def time_cursor(at: datetime, row_id: UUID) -> str:
    return cursor_encode(f"{at.isoformat()}|{row_id}")


def time_cursor_decode(cursor: str) -> tuple[datetime, UUID]:
    """Return the time and the row's id of a cursor. Raises BadRequest."""
    try:
        at, row_id = cursor_decode(cursor).split("|")
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None:
            raise _invalid_cursor_error()
        return to_utc(moment), UUID(row_id)
    except ValueError as exc:
        raise _invalid_cursor_error() from exc


def number_cursor_decode(cursor: str) -> int:
    """Return the number of a cursor, of at most nine digits. Raises BadRequest."""
    text = cursor_decode(cursor)
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise _invalid_cursor_error()
    return int(text)


def cursor_encode(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


def cursor_decode(cursor: str) -> str:
    """Return the text of a cursor. Raises BadRequest."""
    try:
        text = base64.urlsafe_b64decode(cursor.encode()).decode()
    except (ValueError, binascii.Error) as exc:
        raise _invalid_cursor_error() from exc
    if "\x00" in text:
        raise _invalid_cursor_error()
    return text


def _invalid_cursor_error() -> BadRequest:
    return BadRequest("This list position is not valid any more. Reload the list.")
