"""`manage.py backup DIR`: writes database and files into one encrypted directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backup.archive import BackupError, Manifest, archive_open, archive_verify
from config.backup.making import backup_make

HOW_TO_KEY = "Set BACKUP_KEY to 32 bytes in base64 (openssl rand -base64 32), and keep it elsewhere than the backups; or say --plain."


class Command(BaseCommand):
    """Makes a backup, or reads one and checks every byte."""

    help = "Back up the database and the files into a new directory, encrypted with BACKUP_KEY; or check a backup (--verify)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path)
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument("--verify", action="store_true", help="read this backup and check every byte; nothing is changed")
        mode.add_argument("--plain", action="store_true", help="do not encrypt: whoever reads the directory reads all chats")

    def handle(self, *args: Any, **options: Any) -> None:
        directory, key = options["directory"], None if options["plain"] else settings.BACKUP_KEY
        if key is None and not options["plain"] and not options["verify"]:
            raise CommandError(HOW_TO_KEY)
        try:
            manifest = archive_verify(archive_open(directory, key)) if options["verify"] else backup_make(directory, key)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.report(manifest, "is whole" if options["verify"] else "is done")

    def report(self, manifest: Manifest, state: str) -> None:
        rows = sum(manifest.rows.values())
        self.stdout.write(f"The backup of {manifest.made_at} {state}: {rows:,} rows, {manifest.files:,} files.")
        if manifest.lost_files:
            self.stdout.write(f"Rows name {len(manifest.lost_files):,} files that were not in the storage; the manifest lists them.")
        self.stdout.write(f"Keep CREDENTIAL_KEYS elsewhere: {', '.join(manifest.credential_keys)}. No backup has them.")
