"""Database work from async code: bounded threads, one transaction per call, the connection back to the pool after it.

Why: outside HTTP requests Django's async ORM runs on one thread per process, and Django has no async transactions.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TypeVar
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections, transaction

from tenants.context import tenant_tx

Result = TypeVar("Result")


async def in_db(
    fn: Callable[..., Result],
    *args: object,
    organization_id: UUID | None = None,
    using: str = "default",
    **kwargs: object,
) -> Result:
    """What `fn(*args, **kwargs)` returns; it runs synchronously in one transaction of its own.

    With `organization_id` the transaction is that organization's (tenant_tx). Context variables follow into `fn`.
    Cancelling the caller does not stop `fn`: make writes idempotent.
    """
    call = partial(_in_transaction, partial(fn, *args, **kwargs), organization_id, using)
    if settings.DB_INLINE:  # tests: stay on the connection that holds the test's transaction
        return await sync_to_async(call, thread_sensitive=True)()
    return await sync_to_async(partial(_then_release, call), thread_sensitive=False, executor=_threads())()


def _in_transaction(call: Callable[[], Result], organization_id: UUID | None, using: str) -> Result:
    scope = transaction.atomic(using=using) if organization_id is None else tenant_tx(organization_id, using=using)
    with scope:
        return call()


def _then_release(call: Callable[[], Result]) -> Result:
    try:
        return call()
    finally:
        connections.close_all()


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=settings.DB_THREADS, thread_name_prefix="db")
