"""The current organization, and the transaction that carries it.

The context variable follows await, create_task and sync_to_async. The database setting lives in one transaction of one connection. Both are
set only here, and always together (docs/decisions/0001); a single select without a transaction needs no variable (`read_committed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from tenants.errors import NoTenantContext

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


@dataclass(frozen=True)
class _TenantContext:
    """The value of the context variable."""

    organization_id: UUID
    connections: tuple[BaseDatabaseWrapper, ...]  # those whose open transaction carries the organization


ORGANIZATION, ACTING_USER, ACT = "app.org", "app.user", "app.act"  # settings of a transaction, which policies and triggers read
SET_ORGANIZATION = f"select set_config('{ORGANIZATION}', %s, true)"

_current: ContextVar[_TenantContext | None] = ContextVar("parley_tenant", default=None)
_alias: ContextVar[str] = ContextVar("parley_database_alias", default="default")


def current_organization_id() -> UUID:
    """Return the organization of the enclosing `tenant_tx`. Raises NoTenantContext outside one."""
    tenant = _current.get()
    if tenant is None:
        raise NoTenantContext
    return tenant.organization_id


def current_alias() -> str:
    """Return the database alias whose login the ORM uses here, "default" (the app role) unless said otherwise."""
    return _alias.get()


@contextmanager
def database_alias(alias: str) -> Iterator[None]:
    """Let all statements of the ORM in the block that name no alias use this one."""
    token = _alias.set(alias)
    try:
        yield
    finally:
        _alias.reset(token)


@contextmanager
def tenant_tx(organization_id: UUID, *, using: str | None = None) -> Iterator[None]:
    """Run the block in a transaction that sees only the rows of `organization_id`.

    `using`: the alias of its connection and of all statements in the block; the current one if not given. Nested for the same organization
    and connection, it joins the open transaction without a savepoint. Raises NoTenantContext when nested inside another organization's
    transaction.
    """
    using = using or current_alias()
    with database_alias(using), _transaction(organization_id, using):
        yield


@contextmanager
def identity_tx(organization_id: UUID, *, acting_user_id: int | None) -> Iterator[None]:
    """Like `tenant_tx`, but as the auth role, which alone may change memberships and organizations.

    The database lets this user give and take only the roles that his or her own membership allows (tenants.postgres.membership_guard).
    None acts for nobody: it may add members without rights over others, and the first member of an organization.

    Everything in the block runs on one connection, and what an enclosing `tenant_tx` has not committed is not seen: lock and change
    memberships in here, and nowhere else.
    """
    with tenant_tx(organization_id, using="auth"), _setting(transaction.get_connection("auth"), ACTING_USER, str(acting_user_id or "")):
        yield


@contextmanager
def sign_on_act() -> Iterator[None]:
    """Let the block, in an `identity_tx` for nobody, write what an organization's own sign-on may: people who join, and roles below owner."""
    with _setting(transaction.get_connection("auth"), ACT, "sign_on"):
        yield


def for_acting_member(service: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a service that takes the acting member as the keyword `actor`: it runs in `identity_tx` for that user."""

    @wraps(service)
    def in_identity_tx(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        actor: Any = kwargs["actor"]
        with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
            return service(*args, **kwargs)

    return in_identity_tx


@contextmanager
def _transaction(organization_id: UUID, using: str) -> Iterator[None]:
    tenant = _current.get()
    connection = transaction.get_connection(using)
    if tenant is not None and tenant.organization_id != organization_id:
        raise NoTenantContext("A transaction of one organization cannot be opened inside that of another.")
    open_connections = tenant.connections if tenant else ()
    if any(connection is open_connection for open_connection in open_connections):
        yield
        return
    token = _current.set(_TenantContext(organization_id, (*open_connections, connection)))
    try:
        with transaction.atomic(using=using), _setting(connection, ORGANIZATION, str(organization_id)):
            yield
    finally:
        _current.reset(token)


@contextmanager
def database_pipeline(connection: BaseDatabaseWrapper | None = None) -> Iterator[None]:
    """Send the block's statements to the database in one round trip, and wait for all of them at its end.

    Read the cursors only after the block. The statements run one after another, each as if it were sent alone. Raises the error of the
    first statement that fails; those after it are not run.
    """
    connection = connection or transaction.get_connection()
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield


@contextmanager
def _setting(connection: BaseDatabaseWrapper, name: str, value: str) -> Iterator[None]:
    """Set a setting of the transaction for the block, and restore its former value in an outer transaction.

    After an exception there is nothing to restore: the rollback (to the savepoint) reverts the setting.
    """
    with connection.cursor() as cursor:
        with database_pipeline(connection):  # one round trip together with BEGIN, which the driver sends before the first statement
            cursor.execute(f"select current_setting('{name}', true), set_config('{name}', %s, true)", [value])
        former = cursor.fetchone()[0]
    yield
    if (name != ORGANIZATION or len(connection.savepoint_ids) > 0) and not connection.needs_rollback:
        with connection.cursor() as cursor:
            cursor.execute(f"select set_config('{name}', %s, true)", [former or ""])
