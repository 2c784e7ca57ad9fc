"""Keyset pagination: a page begins after the last row of the previous one, which a cursor names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from tenants.errors import BadRequest

PAGE_SIZE = 30
MAX_PAGE_SIZE = 100
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)
TIME: Final = "[0-9]{1,16}-[0-9a-f]{32}"  # microseconds since 1970, and the row's id


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


class QueryParams(BaseModel):
    """Base of query parameter schemas."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())


def cursor_field(form: str) -> Any:
    """Return the field of a cursor. Its `form` is a regular expression, which the schema states; any cursor of this form is valid."""
    return Field(default="", pattern=f"^({form})?$", description="`nextCursor` of the page before; none for the first.")


class LimitQuery(QueryParams):
    """How many items a page has. A list adds its own `cursor`."""

    limit: int = Field(default=PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE)


class PageQuery(LimitQuery):
    """A page of a list of `paginate_newest_first`."""

    cursor: str = cursor_field(TIME)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None  # None on the last page


def paginate_newest_first(rows: QuerySet[Row], *, field: str, cursor: str, limit: int) -> Page[Row]:
    """Return one page of `rows`, newest first by `field` and then by id. One query. Raises BadRequest for an invalid cursor."""
    items = newest_first(rows, field=field, cursor=cursor)[: limit + 1]
    return page_slice(items, limit, lambda row: time_cursor(getattr(row, field), row.pk))


def newest_first(rows: QuerySet[Row], *, field: str, cursor: str) -> QuerySet[Row]:
    """Return the rows after the cursor, newest first. Raises BadRequest for an invalid cursor."""
    rows = rows.order_by(f"-{field}", "-id")
    if not cursor:
        return rows
    at, last_id = time_cursor_decode(cursor)
    # The first condition alone bounds the index; the second one leaves out the rows of that moment that were shown already.
    return rows.filter(**{f"{field}__lte": at}).filter(Q(**{f"{field}__lt": at}) | Q(id__lt=last_id))


def page_slice(items: Iterable[Item], limit: int, cursor_of: Callable[[Item], str]) -> Page[Item]:
    """Return the first `limit` items as a page. `items` has one more than that when another page follows."""
    rows: list[Item] = list(items)
    page = rows[:limit]
    return Page(page, cursor_of(page[-1]) if len(rows) > limit else None)


def time_cursor(at: datetime, row_id: UUID) -> str:
    return f"{(at - EPOCH) // MICROSECOND}-{row_id.hex}"


def time_cursor_decode(cursor: str) -> tuple[datetime, UUID]:
    """Return the time and the row's id of a cursor of the form TIME. Raises BadRequest for any other."""
    try:
        moment, row_id = cursor.split("-")
        return EPOCH + int(moment) * MICROSECOND, UUID(row_id)
    except (ValueError, OverflowError) as exc:
        raise BadRequest(gettext("This list position is not valid any more. Reload the list.")) from exc
