"""`manage.py rotate_secrets`: run it after putting a new key first in CREDENTIAL_KEYS (docs/decisions/0002)."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from security.secrets.services import secrets_rotate


class Command(BaseCommand):
    help = "Seal all secrets under the first key of CREDENTIAL_KEYS. Afterwards the other keys can be removed."

    def handle(self, *args: Any, **options: Any) -> None:
        rotation = secrets_rotate()
        self.stdout.write(f"{rotation.resealed} secrets sealed under the current key.")
        if rotation.broken:
            ids = ", ".join(str(secret_id) for secret_id in rotation.broken)
            raise CommandError(f"{len(rotation.broken)} secrets do not open and must be entered again: {ids}")
