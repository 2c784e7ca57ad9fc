"""`manage.py rotate_secrets`: run it after putting a new key first in CREDENTIAL_KEYS (docs/decisions/0002)."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from security.secrets.resealing import reseal_all


class Command(BaseCommand):
    help = "Seal all secrets under the first key of CREDENTIAL_KEYS. Afterwards the other keys can be removed."

    def handle(self, *args: Any, **options: Any) -> None:
        rotation = reseal_all()
        self.stdout.write(f"{rotation.resealed_count} secrets sealed under the current key.")
        if rotation.broken_rows:
            raise CommandError(
                f"{len(rotation.broken_rows)} secrets do not open and must be entered again: {', '.join(rotation.broken_rows)}"
            )
