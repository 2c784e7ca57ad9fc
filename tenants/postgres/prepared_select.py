"""Selects that are built and compiled once: Django takes up to a millisecond of CPU for that, each time anew.

    _BY_TITLE = PreparedSelect(lambda *, title: Conversation.objects.filter(title=title))
    rows = _BY_TITLE.rows(title="Plans")

For the few statements of the hot paths. A queryset's own guards hold: one of a tenant model carries the organization of its transaction.
Those whose values are known early can be read together (`read_ahead`): one round trip to the database instead of one for each.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID, uuid4

from django.db import connection
from django.db.models import QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

from tenants.context import current_organization_id, database_pipeline

Row = TypeVar("Row")
Value = UUID | str | int
Parameter = Callable[[Mapping[str, Value]], Any]


@dataclass(frozen=True, slots=True)
class _Statement(Generic[Row]):
    """`converters`: by column, what makes Python's value of the database's."""

    sql: str
    parameters: Sequence[Parameter]
    converters: Sequence[tuple[int, Sequence[Callable[..., Any]], Any]]
    row: Callable[[Sequence[Any]], Row]


class PreparedSelect(Generic[Row]):
    """`build` gives a queryset for values by name, whose shape does not depend on them: no None, no `if`, no list.

    It may be of rows, with select_related and annotations, or a values_list, which is not flat.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]]) -> None:
        self._build = build
        self._statement: _Statement[Row] | None = None

    def rows(self, **values: Value) -> list[Row]:
        """One query, none when it was read ahead. Raises what the queryset would: NoTenantContext for a tenant model's outside of a tenant's transaction."""
        ahead = _prefetched.get()
        if ahead and (found := ahead.pop(BoundSelect(self, values).key, None)) is not None:
            return found
        with connection.cursor() as cursor:
            self.send(cursor, values)
            return self.read(cursor)

    def bind(self, **values: Value) -> BoundSelect[Row]:
        """The same for `read_ahead`."""
        return BoundSelect(self, values)

    def send(self, cursor: Any, values: Mapping[str, Value]) -> None:
        statement = self._statement = self._statement or self._compile(values)
        cursor.execute(statement.sql, [parameter(values) for parameter in statement.parameters])

    def read(self, cursor: Any) -> list[Row]:
        """The rows of what was sent with this cursor."""
        assert self._statement, "it was sent"
        row_of, converters = self._statement.row, self._statement.converters
        return [row_of(_convert_row(row, converters) if converters else row) for row in cursor.fetchall()]

    def first(self, **values: Value) -> Row | None:
        """The first row; let `build` end in [:1]."""
        rows = self.rows(**values)
        return rows[0] if rows else None

    def _compile(self, values: Mapping[str, Value]) -> _Statement[Row]:
        samples = {name: _sample(value) for name, value in values.items()}
        queryset = self._build(**samples)
        compiler = queryset.query.get_compiler(connection=connection)
        sql, parameters = compiler.as_sql()
        columns = [expression for expression, *_ in compiler.select[: compiler.col_count]]
        converters = [(place, found, column) for place, (found, column) in compiler.get_converters(columns).items()]
        return _Statement(sql, _parameters(parameters, samples), converters, _row_builder(queryset.db, compiler))


@dataclass(frozen=True, slots=True)
class BoundSelect(Generic[Row]):
    """A select and its values."""

    select: PreparedSelect[Row]
    values: Mapping[str, Value]

    @property
    def key(self) -> object:
        return self.select, frozenset(self.values.items())


_prefetched: ContextVar[dict[object, list[Any]] | None] = ContextVar("parley_read_ahead", default=None)


@contextmanager
def read_ahead(selects: Sequence[BoundSelect[Any]]) -> Iterator[None]:
    """Run these selects now, in their order and in one round trip; who asks the same inside the block has the answer, once.

    Each sees what had been committed when the one before it ended, so a lock counts for all that come after it. Needs an open transaction;
    raises what the first that fails would.
    """
    token = _prefetched.set(dict(zip([bind.key for bind in selects], _fetch_all(selects) if selects else [], strict=True)))
    try:
        yield
    finally:
        _prefetched.reset(token)


def _fetch_all(selects: Sequence[BoundSelect[Any]]) -> list[list[Any]]:
    with ExitStack() as opened:
        cursors = [opened.enter_context(connection.cursor()) for _ in selects]
        with database_pipeline():
            for bind, cursor in zip(selects, cursors, strict=True):
                bind.select.send(cursor, bind.values)
        return [bind.select.read(cursor) for bind, cursor in zip(selects, cursors, strict=True)]


def _sample(value: Value) -> Value:
    """A value of the type that no statement has by chance."""
    return uuid4() if isinstance(value, UUID) else uuid4().hex if isinstance(value, str) else secrets.randbelow(2**31)


def _parameters(compiled: Sequence[Any], samples: Mapping[str, Value]) -> list[Parameter]:
    """Where the samples and the organization of now stand goes what is given then."""
    names = {sample: name for name, sample in samples.items()}
    used = {names[value] for value in compiled if _is_value(value) and value in names}
    if missing := samples.keys() - used:
        raise ValueError(f"The statement does not have {', '.join(sorted(missing))} as a parameter of its own.")
    return [_parameter(value, names) for value in compiled]


def _parameter(compiled: Any, names: Mapping[Value, str]) -> Parameter:
    if _is_value(compiled) and compiled in names:
        name, kind = names[compiled], type(compiled)
        # Django wraps numbers in the type of their column.
        return (lambda values: kind(values[name])) if isinstance(compiled, int) else lambda values: values[name]
    if isinstance(compiled, UUID):
        if compiled != current_organization_id():
            raise ValueError("An id that is the same in each statement is no parameter.")
        return lambda values: current_organization_id()
    return lambda values: compiled


def _is_value(value: object) -> bool:
    return isinstance(value, UUID | str | int)


def _row_builder(alias: str, compiler: SQLCompiler) -> Callable[[Sequence[Any]], Any]:
    """What makes a queryset's item of a row, as the queryset's own iterator does it; a tuple of one without a model."""
    if compiler.query.selected is not None:  # a values_list
        return tuple
    info: Any = compiler.klass_info
    first, last = info["select_fields"][0], info["select_fields"][-1] + 1
    names = [expression.target.attname for expression, *_ in compiler.select[first:last]]
    related = get_related_populators(info, compiler.select, alias)  # type: ignore[call-arg]  # the stubs know Django 6 only
    annotations = list((compiler.annotation_col_map or {}).items())
    model = info["model"]

    def build_row(row: Sequence[Any]) -> Any:
        item = model.from_db(alias, names, row[first:last])
        for populator in related:
            populator.populate(row, item)
        for name, place in annotations:
            setattr(item, name, row[place])
        return item

    return build_row


def _convert_row(row: Sequence[Any], converters: Sequence[tuple[int, Sequence[Callable[..., Any]], Any]]) -> list[Any]:
    changed = list(row)
    for place, convert, column in converters:
        for converter in convert:
            changed[place] = converter(changed[place], column, connection)
    return changed
