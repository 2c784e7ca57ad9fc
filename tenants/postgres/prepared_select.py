"""Selects that are built and compiled once, because Django takes up to a millisecond of CPU to build and compile one each time.

    _BY_TITLE = PreparedSelect(lambda *, title: Conversation.objects.filter(title=title))
    rows = _BY_TITLE.rows(title="Plans")

For the few statements of the hot paths. A queryset's own guards still apply: that of a tenant model filters by the organization of its
transaction. Selects whose values are known early can be read together with `read_ahead`, in one round trip instead of one each.
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
    """A compiled select."""

    sql: str
    parameters: Sequence[Parameter]
    converters: Sequence[tuple[int, Sequence[Callable[..., Any]], Any]]  # (column index, converters from database to Python values, column)
    row: Callable[[Sequence[Any]], Row]  # makes the queryset's item from a row


class PreparedSelect(Generic[Row]):
    """A select that is compiled on first use and then run with new values.

    `build` returns a queryset for named values. Its shape must not depend on them: no None, no `if`, no list. It may return rows, with
    select_related and annotations, or a values_list that is not flat.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]]) -> None:
        self._build = build
        self._statement: _Statement[Row] | None = None

    def rows(self, **values: Value) -> list[Row]:
        """Return the rows, by one query, or by none when they were read ahead.

        Raises what the queryset would: for a tenant model NoTenantContext outside a tenant's transaction.
        """
        ahead = _prefetched.get()
        if ahead and (found := ahead.pop(BoundSelect(self, values).key, None)) is not None:
            return found
        with connection.cursor() as cursor:
            self.send(cursor, values)
            return self.read(cursor)

    def bind(self, **values: Value) -> BoundSelect[Row]:
        """Return this select with its values, for `read_ahead`."""
        return BoundSelect(self, values)

    def send(self, cursor: Any, values: Mapping[str, Value]) -> None:
        statement = self._statement = self._statement or self._compile(values)
        cursor.execute(statement.sql, [parameter(values) for parameter in statement.parameters])

    def read(self, cursor: Any) -> list[Row]:
        """Return the rows of the statement that was sent with this cursor."""
        assert self._statement, "it was sent"
        row_of, converters = self._statement.row, self._statement.converters
        return [row_of(_convert_row(row, converters) if converters else row) for row in cursor.fetchall()]

    def first(self, **values: Value) -> Row | None:
        """Return the first row, or None. `build` should end in [:1]."""
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
    """A select with its values."""

    select: PreparedSelect[Row]
    values: Mapping[str, Value]

    @property
    def key(self) -> object:
        return self.select, frozenset(self.values.items())


_prefetched: ContextVar[dict[object, list[Any]] | None] = ContextVar("parley_read_ahead", default=None)


@contextmanager
def read_ahead(selects: Sequence[BoundSelect[Any]]) -> Iterator[None]:
    """Run these selects now, in order and in one round trip. Inside the block, the first equal select of each gets its stored rows.

    Each select sees what was committed when the one before it ended, so a lock protects all selects after it. Needs an open transaction.
    Raises the error of the first select that fails.
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
    """Return a random value of the type, which no statement contains by chance."""
    return uuid4() if isinstance(value, UUID) else uuid4().hex if isinstance(value, str) else secrets.randbelow(2**31)


def _parameters(compiled: Sequence[Any], samples: Mapping[str, Value]) -> list[Parameter]:
    """Return a function for each parameter: samples and the current organization's id become values of each call, the rest are constants.

    Raises ValueError when a value is not a parameter of its own.
    """
    names = {sample: name for name, sample in samples.items()}
    used = {names[value] for value in compiled if _is_value(value) and value in names}
    if missing := samples.keys() - used:
        raise ValueError(f"The statement does not have {', '.join(sorted(missing))} as a parameter of its own.")
    return [_parameter(value, names) for value in compiled]


def _parameter(compiled: Any, names: Mapping[Value, str]) -> Parameter:
    if _is_value(compiled) and compiled in names:
        name, kind = names[compiled], type(compiled)
        # Django wraps numbers in a type for their column, such as Int4.
        return (lambda values: kind(values[name])) if isinstance(compiled, int) else lambda values: values[name]
    if isinstance(compiled, UUID):
        if compiled != current_organization_id():
            raise ValueError("An id that is the same in each statement is no parameter.")
        return lambda values: current_organization_id()
    return lambda values: compiled


def _is_value(value: object) -> bool:
    return isinstance(value, UUID | str | int)


def _row_builder(alias: str, compiler: SQLCompiler) -> Callable[[Sequence[Any]], Any]:
    """Return a function that makes the queryset's item from a row, as the queryset's own iterator does. Without a model it makes a tuple."""
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
