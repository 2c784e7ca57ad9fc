"""Database work from async code: bounded threads, one transaction per call, and the connection goes back to the pool after it.

Reason: outside HTTP requests, Django's async ORM runs on one thread per process, and Django has no async transactions.

Each database has its own threads, so that slow statements of requests never delay lease renewals ("system"). A request waits at most
MAX_QUEUE_S for a thread. A run waits longer, and its work is repeated while the database is away (`enable_patient_db_access`).
"""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import Any, Final, TypeVar
from uuid import UUID

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, connections, transaction
from psycopg_pool import PoolTimeout

from telemetry.families import DB_WAIT
from tenants.context import tenant_tx
from tenants.errors import Busy

log = structlog.get_logger(__name__)

Result = TypeVar("Result")
ReadResult = TypeVar("ReadResult")

MAX_QUEUE_S = 5.0
MAX_PATIENT_WAIT_S = 90.0  # after this, another process that reaches the database takes the run over
PATIENT_PAUSE_S = 0.3
# SQLSTATE classes of errors that pass: no connection, conflict, no resources, operator. None: the connection broke without a word.
_PASSING_CLASSES: Final = frozenset({"08", "40", "53", "57"})
_LOCK_TIMEOUT: Final = "55P03"

_is_patient: contextvars.ContextVar[bool] = contextvars.ContextVar("parley_database_work_is_patient", default=False)


class CommitUncertain(OperationalError):
    """The connection broke during the commit, so the work may be stored or not."""


def enable_patient_db_access() -> None:
    """Make `in_db` wait and repeat instead of raising, from here on in this context: through a restart, a lock, an ended connection."""
    _is_patient.set(True)


async def in_db(
    fn: Callable[..., Result],
    *args: object,
    organization_id: UUID | None = None,
    using: str = "default",
    **kwargs: object,
) -> Result:
    """Run `fn(*args, **kwargs)` synchronously in a transaction of its own, and return its result.

    With `organization_id`, the transaction is that organization's (`tenant_tx`). Context variables are visible in `fn`. Cancelling the
    caller does not stop `fn`, so make writes idempotent. Raises Busy when no thread or connection became free in time, and
    CommitUncertain.
    """
    return await _in_thread(partial(_in_transaction, partial(fn, *args, **kwargs), organization_id, using), using)


async def in_db_alone(read: Callable[[], Result], *, using: str = "default") -> Result:
    """Run `read`, which needs no transaction (see `read_committed`), as `in_db` does."""
    return await _in_thread(read, using)


async def in_db_then(
    write: Callable[[], Result], read: Callable[[], ReadResult], *, organization_id: UUID, using: str = "default"
) -> tuple[Result, ReadResult | None]:
    """Run `write` as `in_db` does, and `read` after its commit, on the same connection. Return the results of both.

    So `read` sees what is committed, without another turn in a thread. It has no transaction (see `read_committed`). None in place of its
    result: it failed, or found nothing.
    """
    return await _in_thread(partial(_write_then_read, write, read, organization_id, using), using)


async def _in_thread(call: Callable[[], Result], using: str) -> Result:
    if settings.DB_INLINE:  # tests: stay on the connection that holds the test's transaction
        return await sync_to_async(call, thread_sensitive=True)()
    work = partial(contextvars.copy_context().run, _call_and_release, call, using, time.monotonic())
    if _is_patient.get():
        return await _with_patience(work, using)
    try:
        return await _await_result(_threads(using).submit(work), MAX_QUEUE_S)
    except OperationalError as error:
        if isinstance(error.__cause__, PoolTimeout):  # no connection from the pool, so nothing was begun
            raise Busy from error
        raise


async def _with_patience(work: Callable[[], Result], using: str) -> Result:
    """Repeat the work while the database is away. It was rolled back each time. The thread is free for others in between."""
    end = time.monotonic() + MAX_PATIENT_WAIT_S
    while True:
        try:
            return await _await_result(_threads(using).submit(work), None)
        except (OperationalError, InterfaceError) as error:
            if not _passes(error) or time.monotonic() > end:
                raise
            log.warning("database_work_repeated", reason=type(error.__cause__ or error).__name__)
            await asyncio.sleep(PATIENT_PAUSE_S)


def _passes(error: OperationalError | InterfaceError) -> bool:
    """Return whether the same work may succeed later, and was certainly not done."""
    state: str | None = getattr(error.__cause__, "sqlstate", None)
    return not isinstance(error, CommitUncertain) and (state is None or state[:2] in _PASSING_CLASSES or state == _LOCK_TIMEOUT)


async def _await_result(turn: Future[Result], wait_s: float | None) -> Result:
    """Return the result. Raises Busy when the call has not even begun after `wait_s` seconds."""
    outcome = asyncio.wrap_future(turn)
    done, _ = await asyncio.wait({outcome}, timeout=wait_s)
    if not done and turn.cancel():
        raise Busy
    return await outcome


def _in_transaction(call: Callable[[], Result], organization_id: UUID | None, using: str) -> Result:
    scope = transaction.atomic(using=using) if organization_id is None else tenant_tx(organization_id, using=using)
    is_done = False
    try:
        with scope:
            result = call()
            is_done = True
        return result
    except (OperationalError, InterfaceError) as error:
        if is_done and not _was_refused(error):
            raise CommitUncertain from error
        raise


def _write_then_read(
    write: Callable[[], Result], read: Callable[[], ReadResult], organization_id: UUID, using: str
) -> tuple[Result, ReadResult | None]:
    result = _in_transaction(write, organization_id, using)
    try:
        return result, read()
    except Error as error:  # not raised: whoever repeats the call would write again
        log.warning("not_read_after_write", reason=type(error.__cause__ or error).__name__)
        return result, None


def _was_refused(error: OperationalError | InterfaceError) -> bool:
    """Return whether the server said of a commit that it was not done: a deferred check waited for a lock in vain, or met a conflict."""
    state: str = getattr(error.__cause__, "sqlstate", None) or ""
    return state == _LOCK_TIMEOUT or state.startswith("40")


def _call_and_release(call: Callable[[], Result], using: str, asked_s: float) -> Result:
    DB_WAIT.labels(using).observe(time.monotonic() - asked_s)
    try:
        return call()
    finally:
        connections.close_all()


@cache
def _threads(using: str) -> ThreadPoolExecutor:
    options: dict[str, Any] = settings.DATABASES[using]["OPTIONS"]
    connections_at_most: int = options.get("pool", {}).get("max_size", 1)
    return ThreadPoolExecutor(max_workers=connections_at_most, thread_name_prefix=f"db-{using}")
