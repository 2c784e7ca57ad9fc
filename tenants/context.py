"""The current organization, and the transaction that carries it.

The context variable follows await, create_task and sync_to_async; the database setting lives in one transaction of one
connection. Both are only ever set together, here (docs/decisions/0001).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from tenants.errors import NoTenantContext


@dataclass(frozen=True)
class _TenantContext:
    organization_id: UUID
    connections: tuple[BaseDatabaseWrapper, ...]  # those whose open transaction carries the organization


_current: ContextVar[_TenantContext | None] = ContextVar("parley_tenant", default=None)


def current_organization_id() -> UUID:
    """The organization of the enclosing `tenant_tx`; raises NoTenantContext outside one."""
    tenant = _current.get()
    if tenant is None:
        raise NoTenantContext
    return tenant.organization_id


@contextmanager
def tenant_tx(organization_id: UUID, *, using: str = "default") -> Iterator[None]:
    """Run the block in a transaction whose rows are those of `organization_id`.

    Nested for the same organization it joins the open transaction without a savepoint. Raises NoTenantContext when nested
    inside another organization's transaction.
    """
    tenant = _current.get()
    connection = transaction.get_connection(using)
    if tenant is not None and tenant.organization_id != organization_id:
        raise NoTenantContext("A transaction of one organization cannot be opened inside that of another.")
    joined = tenant.connections if tenant else ()
    if any(connection is open_connection for open_connection in joined):
        yield
        return
    token = _current.set(_TenantContext(organization_id, (*joined, connection)))
    try:
        with transaction.atomic(using=using), _organization_setting(connection, str(organization_id)):
            yield
    finally:
        _current.reset(token)


@contextmanager
def database_pipeline(connection: BaseDatabaseWrapper | None = None) -> Iterator[None]:
    """Send the statements of the block to the database together and wait for them at its end; read their cursors after it.

    They run one after the other, each as if it were sent alone. Raises what the first that fails raises; the others are not run then.
    """
    connection = connection or transaction.get_connection()
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield


@contextmanager
def _organization_setting(connection: BaseDatabaseWrapper, value: str) -> Iterator[None]:
    """Keep app.org at `value` for the block and give an outer transaction its former value back.

    An exception needs no undoing: the rollback (to the savepoint) reverts the setting.
    """
    with connection.cursor() as cursor:
        with database_pipeline(connection):  # with the transaction's BEGIN, which the driver sends before the first statement
            cursor.execute("select current_setting('app.org', true), set_config('app.org', %s, true)", [value])
        former = cursor.fetchone()[0]
    yield
    if len(connection.savepoint_ids) > 0 and not connection.needs_rollback:
        with connection.cursor() as cursor:
            cursor.execute("select set_config('app.org', %s, true)", [former or ""])
