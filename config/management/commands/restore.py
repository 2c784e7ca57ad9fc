"""`manage.py restore DIR`: restores a backup into an empty database and the files' directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backup.archive import BackupError
from config.backup.restoring import backup_restore


class Command(BaseCommand):
    """Checks the backup, restores it, and ends with what `doctor` finds."""

    help = "Restore a backup into an empty database and the files' directory, then run doctor."
    requires_system_checks: list[str] = []  # there are no tables yet

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path)
        parser.add_argument("--without-keys", action="store_true", help="although CREDENTIAL_KEYS lacks keys that the backup names")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            manifest = backup_restore(options["directory"], settings.BACKUP_KEY, allow_lost_keys=options["without_keys"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"The backup of {manifest.made_at} is restored: {sum(manifest.rows.values()):,} rows, {manifest.files:,} files.")
        call_command("doctor", stdout=self.stdout, stderr=self.stderr)
