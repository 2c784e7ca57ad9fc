"""`manage.py files_adopt`: marks the store of files that the environment names as this database's."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from files.store.marker import store_adopt


class Command(BaseCommand):
    """For a new store whose files were lost, or copied without the marker. Moves no files."""

    help = "Mark the directory or bucket of the environment as the store of this database's files."

    def handle(self, *args: Any, **options: Any) -> None:
        store_adopt()
        self.stdout.write(f"{settings.FILES_PLACE} is marked. Start the processes again.")
