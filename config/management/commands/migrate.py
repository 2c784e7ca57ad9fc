"""Django's `migrate`: one at a time per database, and without making all model classes anew for each new table."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ModelState, ProjectState

from tenants.postgres.migration_state import MIGRATE_LOCK
from tenants.postgres.unpooled_connection import unpooled_connection


class Command(migrate.Command):
    """Waits while another one migrates the same database, as several deployments at once would."""

    def handle(self, *args: Any, **options: Any) -> None:
        """The lock is held by a connection of its own, so that it outlives the transactions of the migrations."""
        with unpooled_connection(options["database"]) as connection, connection.cursor() as cursor:
            cursor.execute("set lock_timeout = 0")  # a long migration is no fault
            cursor.execute("select pg_try_advisory_lock(%s)", [MIGRATE_LOCK])
            if cursor.fetchone() != (True,):
                self.stdout.write("Another migrate is at work; waiting until it ends.")
                cursor.execute("select pg_advisory_lock(%s)", [MIGRATE_LOCK])
            super().handle(*args, **options)


class GrowingState(ProjectState):
    """Makes the class of a new model alone. The classes of earlier states get its relations, too, but on the way forwards nobody asks them.

    Django makes the classes of all related models anew. Almost every model leads to Organization and so to all others: sixty classes for
    each table were three fifths of what the migration of an empty database costs.
    """

    def add_model(self, model_state: ModelState) -> None:
        state_apps = self.__dict__.pop("apps", None)  # without it, Django notes the model and makes no class
        super().add_model(model_state)
        if state_apps is not None:
            self.__dict__["apps"] = state_apps
            state_apps.render_multiple([model_state])


class GrowingExecutor(MigrationExecutor):
    """Goes forwards with a GrowingState. On the way back Django ignores `state`."""

    def migrate(
        self, targets: Any, plan: Any = None, state: ProjectState | None = None, fake: bool = False, fake_initial: bool = False
    ) -> ProjectState:
        growing_state = GrowingState(state.models, state.real_apps) if state and plan else state
        return super().migrate(targets, plan, growing_state, fake, fake_initial)


vars(migrate)["MigrationExecutor"] = GrowingExecutor  # Django's command has no other place for it
