"""Django's `migrate`, one at a time per database."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate

from tenants.postgres.direct_connection import direct_connection
from tenants.postgres.migration_state import MIGRATE_LOCK


class Command(migrate.Command):
    """Waits while another one migrates the same database, as several deployments at once would."""

    def handle(self, *args: Any, **options: Any) -> None:
        """The lock is held by a connection of its own, so that it outlives the transactions of the migrations."""
        with direct_connection(options["database"]) as connection, connection.cursor() as cursor:
            cursor.execute("set lock_timeout = 0")  # a long migration is no fault
            cursor.execute("select pg_try_advisory_lock(%s)", [MIGRATE_LOCK])
            if cursor.fetchone() != (True,):
                self.stdout.write("Another migrate is at work; waiting until it ends.")
                cursor.execute("select pg_advisory_lock(%s)", [MIGRATE_LOCK])
            super().handle(*args, **options)
