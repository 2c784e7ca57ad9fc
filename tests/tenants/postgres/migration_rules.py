"""Which operations of a migration would stop those who chat, or break processes that still run the code before it.

A migration runs while everything is at work: old code on new tables. So an operation must hold no strong lock for longer than a moment, and
what old code reads and writes must stay. Tables that the migration itself makes are free; so are initial migrations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, RemoveIndexConcurrently, ValidateConstraint
from django.db import connection, models
from django.db.migrations import Migration, operations
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED

from tenants.postgres.migration_operations import SecurePlainKey, SecureTenantTable
from tenants.postgres.partition_sql import PARTITIONED_TABLES

REVIEWED = "lock_review"  # of a Migration: one sentence that says why its operations of these kinds are safe
NEEDS_REVIEW = (operations.RunSQL, operations.RunPython, operations.RemoveField, operations.DeleteModel)
SAFE = (
    *(operations.CreateModel, operations.AlterModelOptions, operations.AlterModelManagers, operations.RemoveConstraint),
    *(AddIndexConcurrently, RemoveIndexConcurrently, AddConstraintNotValid, ValidateConstraint, SecureTenantTable, SecurePlainKey),
)
ADVICE = {
    operations.AddIndex: "locks all writes until it is built: use AddIndexConcurrently and atomic = False",
    operations.RemoveIndex: "waits for all readers: use RemoveIndexConcurrently and atomic = False",
    operations.AddConstraint: "reads the whole table under a lock: use AddConstraintNotValid, and ValidateConstraint in the next migration",
}


def problems(migration: Migration, state: ProjectState) -> Iterator[str]:
    """Yield a sentence for each operation that is refused. `state`: the tables before the migration; it is changed."""
    new_tables = set[str]()
    for operation in [] if migration.initial else _flat(migration.operations):
        if isinstance(operation, operations.CreateModel):
            new_tables.add(operation.name_lower)
        elif getattr(operation, "model_name", "").lower() not in new_tables and (problem := _problem(operation, migration, state)):
            yield f"{migration.app_label}.{migration.name}: {operation.describe()}: {problem}."
        operation.state_forwards(migration.app_label, state)


def _flat(nested_operations: Sequence[Operation]) -> Iterator[Operation]:
    for operation in nested_operations:
        if isinstance(operation, operations.SeparateDatabaseAndState):
            yield from _flat(operation.database_operations)
        else:
            yield operation


def _problem(operation: Operation, migration: Migration, state: ProjectState) -> str:
    if isinstance(operation, NEEDS_REVIEW):
        return (
            "" if getattr(migration, REVIEWED, "") else f"needs {REVIEWED}, which says why running code does without, and no lock is long"
        )
    if isinstance(operation, AddIndexConcurrently) and f"{migration.app_label}_{operation.model_name_lower}" in PARTITIONED_TABLES:
        return "a table in partitions takes none at once: make it on each partition concurrently, then on the table"
    if isinstance(operation, SAFE):
        return ""
    if isinstance(operation, operations.AddField):
        return _column_problem(operation.field)
    if isinstance(operation, operations.AlterField):
        before = state.models[migration.app_label, operation.model_name_lower].fields[operation.name]
        return _change_problem(before, operation.field)
    return ADVICE.get(type(operation), "is not known to be safe: old code may still need what it changes")


def _column_problem(field: models.Field) -> str:  # type: ignore[type-arg]
    if not field.null and field.db_default is NOT_PROVIDED and not field.many_to_many:
        return "old code writes rows without it: give it null=True or db_default"
    if field.unique or _has_index(field):
        return "builds an index under a lock: use db_index=False and AddIndexConcurrently"
    if field.remote_field and field.db_constraint:  # type: ignore[attr-defined]
        return "checks a key under a lock on both tables: use db_constraint=False; SecureTenantTable adds the composite key"
    return ""


def _has_index(field: models.Field) -> bool:  # type: ignore[type-arg]
    return bool(getattr(field, "db_index", False))


def _change_problem(before: models.Field, after: models.Field) -> str:  # type: ignore[type-arg]
    if before.null and not after.null:
        return "reads the whole table under a lock: add a check that is not valid yet, validate it, then set NOT NULL"
    if (after.unique and not before.unique) or (_has_index(after) and not _has_index(before)):
        return "builds an index under a lock: use AddIndexConcurrently"
    is_longer = (
        isinstance(before, models.CharField)
        and isinstance(after, models.CharField)
        and (after.max_length is None or (before.max_length is not None and after.max_length >= before.max_length))
    )
    if before.db_type(connection) != after.db_type(connection) and not is_longer:
        return "writes the whole table anew under a lock: add a column and move to it"
    return ""
