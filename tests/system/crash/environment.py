"""Where crash trials happen: an organization, the model's double and a supply of processes that may die."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

import orjson
from django.db import connections
from django.db.models.functions import Now
from django.test import override_settings

from chat.api.run_streams import resumable_stream
from chat.models import Approval, Run
from chat.runs.commands import decide_approval, send_run_message
from chat.stream.event_log import LogKeys, log_has_ended, read_log
from chat.stream.hub import Hub
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.redis.clients import close_redis, redis_client
from tests.support.accounts.cast import make_cast
from tests.support.agents.gemini import ServedGemini, gemini_double
from tests.support.chat.workspace import allow_egress, make_workspace
from tests.support.stores.database import create_test_database, drop_test_database
from tests.system.crash.checks import Ending, problems_of, rows_of
from tests.system.crash.points import Crash, Point
from tests.system.crash.processes import OwnerProcesses, OwnerTask, owner_processes
from tests.system.crash.tools import letters_sent
from tests.system.crash_plans import Plan
from tests.system.crash_scenes import SceneModel
from tests.system.shown_message import Chunk


@dataclass(frozen=True, slots=True)
class Outcome:
    """`died_at`: where owners died; a point that the rest of the run does not pass kills nobody."""

    plan: Plan
    died_at: tuple[Point, ...]
    problems: tuple[str, ...]


@contextmanager
def trial_environment(directory: Path) -> Iterator[TrialEnvironment]:
    """A site in a new test database; `directory` gets the owners' log and the tool's effects."""
    database = create_test_database()
    try:
        with gemini_double() as double, allow_egress(double.base_url), owners_for(double, directory) as owners:
            cast = make_cast()
            make_workspace(cast.acme, double)
            yield TrialEnvironment(cast.actor(cast.alice), double, owners, directory)
    finally:
        drop_test_database(database)


def owners_for(double: ServedGemini, directory: Path) -> AbstractContextManager[OwnerProcesses]:
    """OwnerProcesses in this process's database."""
    return owner_processes(str(connections["default"].settings_dict["NAME"]), double.base_url, directory / "owners.log")


@dataclass(slots=True)
class _Trial:
    """How far a trial has come. `crashes`: those still to come; `message`: the id of the one that was sent into the run."""

    plan: Plan
    chat_id: str
    crashes: list[Crash]
    owners: int = 0
    died_at: list[Point] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    message: str = ""


class TrialEnvironment:
    """`letters`: a directory for the effects of the test's tool. The double must have no other script, and no process a worker."""

    def __init__(self, actor: Actor, double: ServedGemini, owners: OwnerProcesses, letters: Path) -> None:
        self._actor, self._double, self._owners, self._letters = actor, double, owners, letters
        self._model = SceneModel()
        double.respond(self._model.respond)

    def trial(self, plan: Plan) -> Outcome:
        self._model.add(plan.scene)
        self._double.requests.clear()
        trial = _Trial(plan, str(uuid4()), list(plan.crashes))
        with override_settings(RUN_EXECUTOR="celery"):  # a decision must not make this process the owner
            while self._next_owner(trial) and not trial.failures:
                pass
        problems = problems_of(self._ending(trial)) if not trial.failures else ()
        return Outcome(plan, tuple(trial.died_at), (*trial.failures, *problems))

    def _next_owner(self, trial: _Trial) -> bool:
        """Let a process own the run until it dies or leaves it; False when the run is over."""
        crash = trial.crashes.pop(0) if trial.crashes else None
        code = self._owners.run(self._order(trial, crash))
        trial.owners += 1
        if crash and code == -signal.SIGKILL:
            self._after_death(trial, crash.point)
        elif code:
            trial.failures.append(f"an owner ended with {code}, see {self._owners.log}")
            return False
        elif crash:
            trial.crashes.insert(0, crash)  # for who goes on after a pause
        run = self._run(trial)
        if run.status in Run.WAITING:
            asyncio.run(_decide(self._actor, trial.chat_id, run.pk))
        elif run.is_active and not code:
            trial.failures.append(f"an owner left the run {run.status}")
        self._expire_lease(trial)
        return run.finished_at is None

    def _after_death(self, trial: _Trial, point: Point) -> None:
        trial.died_at.append(point)
        run = self._run(trial)
        if len(trial.died_at) > 1 or run.finished_at is not None:
            return
        if trial.plan.log_is_lost:
            asyncio.run(_lose_log(run.pk))
        if trial.plan.sends_message:
            trial.message = uuid4().hex
            asyncio.run(_send_message(self._actor, trial))

    def _order(self, trial: _Trial, crash: Crash | None) -> OwnerTask:
        return OwnerTask(
            user_id=self._actor.user_id,
            slug=self._actor.organization_slug,
            chat_id=trial.chat_id,
            text=trial.plan.scene.question,
            letters=str(self._letters_of(trial)),
            run_id=str(self._run(trial).pk) if trial.owners else "",
            crash=crash,
        )

    def _expire_lease(self, trial: _Trial) -> None:
        """As if the lease's time had passed."""
        runs = Run.unscoped.using("system").filter(conversation_id=trial.chat_id, status__in=Run.ACTIVE)
        runs.update(lease_expires_at=Now())

    def _run(self, trial: _Trial) -> Run:
        return Run.unscoped.using("system").get(conversation_id=trial.chat_id)

    def _letters_of(self, trial: _Trial) -> Path:
        return self._letters / trial.chat_id

    def _ending(self, trial: _Trial) -> Ending:
        log, viewer_chunks = asyncio.run(_streams(self._actor, trial.chat_id, self._run(trial).pk))
        with tenant_tx(self._actor.organization_id):
            rows = rows_of(UUID(trial.chat_id))
        return Ending(
            scene=trial.plan.scene,
            message=trial.message,
            died_at=trial.died_at,
            letters=letters_sent(self._letters_of(trial)),
            requests=tuple(self._double.requests),
            log=log,
            viewed=viewer_chunks,
            **rows,
        )


async def _lose_log(run_id: UUID) -> None:
    try:
        await redis_client().delete(LogKeys.of(run_id).log)
    finally:
        await close_redis()


async def _decide(actor: Actor, chat_id: str, run_id: UUID) -> None:
    """Allow what is asked for."""
    try:
        pending = Approval.objects.filter(run_id=run_id, status=Approval.Status.PENDING).values_list("approval_id", flat=True)
        approval_ids: list[UUID] = await in_db(list, pending, organization_id=actor.organization_id)
        for approval_id in approval_ids:
            await decide_approval(actor, key=chat_id, approval_id=approval_id, approved=True, reason="")
    finally:
        await close_redis()


async def _send_message(actor: Actor, trial: _Trial) -> None:
    try:
        text = f"More {trial.plan.scene.question}"
        await send_run_message(actor, key=trial.chat_id, text=text, client_id=trial.message)
    finally:
        await close_redis()


async def _streams(actor: Actor, chat_id: str, run_id: UUID) -> tuple[list[Chunk] | None, list[Chunk]]:
    """The event log as live viewers read it, None when it has no end, and what a viewer gets that comes back now."""
    try:
        log = _chunks(entry.chunks for entry in await read_log(run_id, count=10_000)) if await log_has_ended(run_id) else None
        stream = await resumable_stream(actor, chat_id)
        return log, _chunks([batch async for batch in stream.batches()]) if stream else []
    finally:
        await Hub.current().close()
        await close_redis()


def _chunks(batches: Iterable[Iterable[bytes]]) -> list[Chunk]:
    return [orjson.loads(chunk) for batch in batches for chunk in batch]
