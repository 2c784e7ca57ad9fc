"""Migrations run while everything is at work; those that would stop it are refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import models
from django.db.migrations import Migration, operations
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from tenants.models import Organization
from tests.tenants.postgres.migration_rules import problems

INDEX = models.Index(fields=["name"], name="thing_name")
OWNER = models.ForeignKey(Organization, models.CASCADE, null=True)


def problems_of(*new_operations: Operation, **attributes: object) -> list[str]:
    state = ProjectState()
    fields: list[tuple[str, models.Field[Any, Any]]] = [
        ("id", models.BigAutoField(primary_key=True)),
        ("name", models.CharField(max_length=10, null=True)),
    ]
    state.add_model(ModelState("things", "Thing", fields))
    migration = type("Migration", (Migration,), {"operations": [*new_operations], "dependencies": [], **attributes})("0002_next", "things")
    return [*problems(migration, state)]


def test_the_migrations_make_what_the_models_say() -> None:
    loader = MigrationLoader(None)
    changes = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps)).changes(graph=loader.graph)
    assert {label: [migration.operations for migration in new] for label, new in changes.items()} == {}


def test_no_migration_stops_those_who_chat() -> None:
    loader = MigrationLoader(None)
    ours = {config.label for config in apps.get_app_configs() if Path(config.path).parent == settings.BASE_DIR}
    later = [key for key, migration in loader.graph.nodes.items() if key[0] in ours and not migration.initial]
    violations = [each for key in later for each in problems(loader.graph.nodes[key], loader.project_state(key, at_end=False))]
    assert violations == []


@pytest.mark.parametrize(
    ("operation", "advice"),
    [
        (operations.AddField("thing", "size", models.IntegerField(default=0)), "db_default"),
        (operations.AddField("thing", "code", models.CharField(max_length=3, null=True, db_index=True)), "AddIndexConcurrently"),
        (operations.AddField("thing", "owner", OWNER), "db_index=False"),
        (operations.AddIndex("thing", INDEX), "AddIndexConcurrently"),
        (operations.AddConstraint("thing", models.UniqueConstraint(fields=["name"], name="one")), "AddConstraintNotValid"),
        (operations.AlterField("thing", "name", models.CharField(max_length=10, default="")), "NOT NULL"),
        (operations.AlterField("thing", "name", models.IntegerField(null=True)), "add a column"),
        (operations.AlterField("thing", "id", models.CharField(max_length=99, primary_key=True)), "add a column"),
        (operations.RenameField("thing", "name", "title"), "old code"),
        (operations.RemoveField("thing", "name"), "lock_review"),
        (operations.RunSQL("update things_thing set name = ''"), "lock_review"),
    ],
)
def test_what_locks_or_breaks_old_code_is_refused_with_the_way_out(operation: Operation, advice: str) -> None:
    [problem] = problems_of(operation)
    assert problem.startswith("things.0002_next: ")
    assert advice in problem


def test_an_index_of_a_table_in_partitions_is_refused() -> None:
    state = ProjectState()
    state.add_model(ModelState("security", "AuditEvent", [("id", models.UUIDField(primary_key=True))]))
    migration = type("Migration", (Migration,), {"operations": [AddIndexConcurrently("auditevent", INDEX)], "dependencies": []})
    [problem] = problems(migration("0002_next", "security"), state)
    assert "on each partition" in problem


@pytest.mark.parametrize(
    "new_operations",
    [
        [operations.AddField("thing", "size", models.IntegerField(db_default=0))],
        [AddIndexConcurrently("thing", INDEX)],
        [operations.AlterField("thing", "name", models.CharField(max_length=20, null=True))],
        [
            operations.CreateModel("New", [("name", models.TextField())]),
            operations.AddIndex("new", models.Index(fields=["name"], name="n")),
        ],
    ],
)
def test_what_takes_a_moment_is_accepted(new_operations: Sequence[Operation]) -> None:
    assert problems_of(*new_operations) == []


def test_a_removal_that_was_thought_about_is_accepted() -> None:
    assert (
        problems_of(operations.RemoveField("thing", "name"), lock_review="No code since 1.4 reads it; dropping a column takes a moment.")
        == []
    )
