"""`manage.py stuck`: like `runs`, with those alone that do not move."""

from __future__ import annotations

from chat.management.commands import runs


class Command(runs.Command):
    """Runs that nobody works on although somebody has to, and runs that do not stop."""

    help = "List the runs that no process works on although one has to, or that do not stop, for a minute; end one, or take it over."
    stuck_only = True
