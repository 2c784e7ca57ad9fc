"""Django's `check`, with the pages of the admin sites."""

from __future__ import annotations

from django.core.management.commands.check import Command

from config import urls  # noqa: F401  # loads the admin pages, which no process has before it asks for its URLs

__all__ = ["Command"]
