"""Database work from async code: bounded threads, one transaction per call, the connection back to the pool after it.

Why: outside HTTP requests Django's async ORM runs on one thread per process, and Django has no async transactions.

Each database has threads of its own, so that slow statements of requests never hold up the leases ("system"). A request waits at most
MAX_QUEUE_S for its turn; a run waits longer (`enable_patient_db_access`).
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
MAX_PATIENT_WAIT_S = 60.0  # then a run is left to a process that reaches the database

_is_patient: contextvars.ContextVar[bool] = contextvars.ContextVar("parley_database_work_is_patient", default=False)


def enable_patient_db_access() -> None:
    """From here on `in_db` never raises Busy in this context: it waits, through a restart of the database too."""
    _is_patient.set(True)


async def in_db(
    fn: Callable[..., Result],
    *args: object,
    organization_id: UUID | None = None,
    using: str = "default",
    **kwargs: object,
) -> Result:
    """What `fn(*args, **kwargs)` returns; it runs synchronously in one transaction of its own.

    With `organization_id` the transaction is that organization's (tenant_tx). Context variables follow into `fn`.
    Cancelling the caller does not stop `fn`: make writes idempotent. Raises Busy when there was no connection to begin with.
    """
    call = partial(_in_transaction, partial(fn, *args, **kwargs), organization_id, using)
    if settings.DB_INLINE:  # tests: stay on the connection that holds the test's transaction
        return await sync_to_async(call, thread_sensitive=True)()
    context = contextvars.copy_context()
    turn: Future[Result] = _threads(using).submit(context.run, _call_and_release, call, _is_patient.get())
    return await _await_result(turn, None if _is_patient.get() else MAX_QUEUE_S)


async def _await_result(turn: Future[Result], wait_s: float | None) -> Result:
    """Raises Busy when it is not even begun after `wait_s`."""
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
            if not isinstance(error.__cause__, PoolTimeout):  # the pool's: nothing was begun
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
