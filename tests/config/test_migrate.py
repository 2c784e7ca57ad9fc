"""`migrate` makes the class of a new model alone, and still knows all that Django would know."""

from __future__ import annotations

from typing import Any

from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import StateApps

from config.management.commands.migrate import GrowingState


def model_fields(apps: StateApps) -> dict[str, list[str]]:
    """What each model has, also of those that refer to it."""

    def describe(field: Any) -> str:
        related = field.related_model
        return f"{field.name} {type(field).__name__} {related._meta.label if related else ''}"

    models = apps.get_models(include_auto_created=True)
    return {model._meta.label: sorted(map(describe, model._meta.get_fields(include_hidden=True))) for model in models}


def test_a_state_that_grew_is_the_one_that_django_makes_at_once() -> None:
    loader = MigrationLoader(None)
    final = loader.project_state()
    growing = GrowingState(real_apps=loader.unmigrated_apps)
    grown_apps = growing.apps
    plans = [loader.graph.forwards_plan(leaf) for leaf in loader.graph.leaf_nodes()]
    for key in dict.fromkeys(key for plan in plans for key in plan):
        loader.get_migration(*key).mutate_state(growing, preserve=False)
    assert growing.apps is grown_apps
    assert model_fields(grown_apps) == model_fields(final.apps)
    assert len(model_fields(grown_apps)) > 100
