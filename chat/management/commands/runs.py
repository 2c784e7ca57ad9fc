"""`manage.py runs`: the runs under way in all organizations, and what an operator can do with one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.models import Run
from chat.runs.commands import end_run, move_run
from chat.storage.open_runs import OpenRun, open_runs

HEAD = f"{'run':36}  {'organization':20}  {'state':20}  {'age':>8}  {'heartbeat':>9}  waits for  owner"


class Command(BaseCommand):
    """Lists runs, ends one, or takes one from its owner."""

    help = "List the runs under way, without their texts; end one (--end), or let another process take it over (--take-over)."
    stuck_only = False

    def add_arguments(self, parser: CommandParser) -> None:
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--end", type=UUID, metavar="RUN_ID", help="end this run; what was written is kept")
        act.add_argument(
            "--take-over", type=UUID, metavar="RUN_ID", help="take this run from its process, so that a worker goes on with it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if run_id := options["end"] or options["take_over"]:
            self.act(_open_run(run_id), ends=bool(options["end"]))
        else:
            self.print_list(open_runs(stuck_only=self.stuck_only))

    def act(self, run: OpenRun, *, ends: bool) -> None:
        if ends:
            is_done = async_to_sync(end_run)(organization_id=run.organization_id, run_id=run.id)
            self.stdout.write("It ends at its owner's next heartbeat, or when a worker has taken it over." if is_done else "It has ended.")
        elif async_to_sync(move_run)(run.id):
            self.stdout.write("The next free worker takes it over.")
        else:
            raise CommandError(f"No process has to work on this run: it waits ({run.waits_for or run.status}). --end ends it.")

    def print_list(self, runs: list[OpenRun]) -> None:
        if runs:
            self.stdout.write(HEAD)
        for run in runs:
            self.stdout.write(_line(run))
        self.stdout.write(f"{len(runs):,} runs.")


def _open_run(run_id: UUID) -> OpenRun:
    if runs := open_runs(run_id=run_id):
        return runs[0]
    raise CommandError(f"There is no run {run_id} under way.")


def _line(run: OpenRun) -> str:
    heartbeat = "-" if run.heartbeat_s is None else f"{run.heartbeat_s:.0f} s"
    status = "working" if run.status in Run.ACTIVE else run.status  # rows don't follow each step of the work
    state = f"{status}, stopping" if run.is_stopping else status
    return f"{run.id!s:36}  {run.organization:20}  {state:20}  {run.age_s:6.0f} s  {heartbeat:>9}  {run.waits_for or '-':9}  {run.owner or '-'}"
