"""Database work from async code: bounded threads, one transaction per call, and the connection goes back to the pool after it.

Reason: outside HTTP requests, Django's async ORM runs on one thread per process, and Django has no async transactions.

Each database has its own threads, so that slow statements of requests never delay lease renewals ("system"). A request waits at most
MAX_QUEUE_S for a thread; a run waits longer (`enable_patient_db_access`).
"""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import Any, TypeVar
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import OperationalError, connections, transaction
from psycopg_pool import PoolTimeout

from tenants.context import tenant_tx
from tenants.errors import Busy

Result = TypeVar("Result")

MAX_QUEUE_S = 5.0
MAX_PATIENT_WAIT_S = 60.0  # after this, another process that reaches the database takes the run over

_is_patient: contextvars.ContextVar[bool] = contextvars.ContextVar("parley_database_work_is_patient", default=False)


def enable_patient_db_access() -> None:
    """Make `in_db` wait instead of raising Busy, from here on in this context; it even waits through a restart of the database."""
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
    caller does not stop `fn`, so make writes idempotent. Raises Busy when no thread or connection became free in time.
    """
    call = partial(_in_transaction, partial(fn, *args, **kwargs), organization_id, using)
    if settings.DB_INLINE:  # tests: stay on the connection that holds the test's transaction
        return await sync_to_async(call, thread_sensitive=True)()
    context = contextvars.copy_context()
    turn: Future[Result] = _threads(using).submit(context.run, _call_and_release, call, _is_patient.get())
    return await _await_result(turn, None if _is_patient.get() else MAX_QUEUE_S)


async def _await_result(turn: Future[Result], wait_s: float | None) -> Result:
    """Return the result. Raises Busy when the call has not even begun after `wait_s` seconds."""
    outcome = asyncio.wrap_future(turn)
    done, _ = await asyncio.wait({outcome}, timeout=wait_s)
    if not done and turn.cancel():
        raise Busy
    return await outcome


def _in_transaction(call: Callable[[], Result], organization_id: UUID | None, using: str) -> Result:
    scope = transaction.atomic(using=using) if organization_id is None else tenant_tx(organization_id, using=using)
    with scope:
        return call()


def _call_and_release(call: Callable[[], Result], is_patient: bool) -> Result:
    end = time.monotonic() + MAX_PATIENT_WAIT_S
    while True:
        try:
            return call()
        except OperationalError as error:
            if not isinstance(error.__cause__, PoolTimeout):  # no connection from the pool, so nothing was begun
                raise
            if not is_patient:
                raise Busy from error
            if time.monotonic() > end:
                raise
        finally:
            connections.close_all()


@cache
def _threads(using: str) -> ThreadPoolExecutor:
    options: dict[str, Any] = settings.DATABASES[using]["OPTIONS"]
    connections_at_most: int = options.get("pool", {}).get("max_size", 1)
    return ThreadPoolExecutor(max_workers=connections_at_most, thread_name_prefix=f"db-{using}")
