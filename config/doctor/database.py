"""Checks of PostgreSQL: the four roles, the tables, row security, and secrets whose key is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.sign_in.factor_secrets import factors_lost
from config.doctor.findings import Finding, clock_finding, error, ok, warning
from security.secrets.lost_keys import lost_keys
from sharing.tokens import tokens_lost
from tenants.postgres.migration_state import MIGRATE, missing_migrations
from tenants.postgres.partitions import partition_states
from tenants.postgres.replica import ALIAS as REPLICA, MAX_LAG_S, replica_lag_s
from tenants.postgres.row_security_checks import row_security_problems
from tenants.postgres.unpooled_connection import unpooled_connection

VARIABLES = {
    "default": "DATABASE_URL",
    "auth": "DATABASE_AUTH_URL",
    "owner": "DATABASE_OWNER_URL",
    "system": "DATABASE_SYSTEM_URL",
}


def database_findings() -> Iterator[Finding]:
    """Each role's login first: the other checks need all of them."""
    logins = [finding for alias in VARIABLES if (finding := _login_problem(alias))]
    if logins:
        yield from logins
        return
    with unpooled_connection("default") as connection:
        yield from _state_findings(connection)
    yield from secrets_findings()
    if REPLICA in settings.DATABASES:
        yield _replica_finding()


def _login_problem(alias: str) -> Finding | None:
    try:
        with unpooled_connection(alias):
            return None
    except (DatabaseError, ImproperlyConfigured) as problem:
        reason = " ".join(str(problem).split())
        return error(
            "database", f"{VARIABLES[alias]} cannot be used: {reason}", "Check host, port, role and password, and that PostgreSQL runs."
        )


def _state_findings(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute("select current_setting('server_version'), extract(epoch from clock_timestamp())::float8")
        [(version, now)] = cursor.fetchall()
    yield ok("database", f"PostgreSQL {version.split()[0]} lets all four roles in.")
    yield from clock_finding("database", now - time.time())
    if missing := missing_migrations(connection):
        yield error("tables", f"These are missing: {', '.join(missing)}.", f"Run: {MIGRATE}")
        return
    yield ok("tables", "They are those of this version.")
    problems = row_security_problems(connection)
    for problem in problems:
        yield error("row security", problem, f"Run tools/embedded/roles.sql, then: {MIGRATE}")
    if not problems:
        yield ok("row security", "Every table keeps organizations apart.")
    yield from partition_findings(connection)


def partition_findings(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    states = partition_states(connection)
    if late := [state.table for state in states if state.months_ahead < 1]:
        text = f"These tables have none for the next month: {', '.join(late)}."
        yield warning("partitions", text, f"Let a worker and the beat run, or run: {MIGRATE}")
    else:
        yield ok("partitions", f"The next {min(state.months_ahead for state in states)} months have theirs.")


def _replica_finding() -> Finding:
    try:
        with unpooled_connection(REPLICA) as connection:
            lag_s = replica_lag_s(connection)
    except DatabaseError as problem:
        reason = " ".join(str(problem).split())
        return warning("replica", f"DATABASE_REPLICA_URL cannot be used: {reason}", "Until it can, everything reads the primary.")
    if lag_s is None:
        text = "It has replayed no change yet, so everything reads the primary."
        return warning("replica", text, "Check that DATABASE_REPLICA_URL names a standby of the primary.")
    if lag_s > MAX_LAG_S:
        text = f"The last change that it has replayed is {lag_s:.0f} s old, so everything reads the primary."
        return warning("replica", text, "While nobody chats, that is usual. Otherwise check that it follows the primary, and both clocks.")
    return ok("replica", f"The last change that it has replayed is {lag_s:.1f} s old.")


def secrets_findings() -> Iterator[Finding]:
    """What no key of CREDENTIAL_KEYS opens: keys and other secrets, second factors, addresses of shared links."""
    try:
        keys, factors, links = lost_keys(), factors_lost(), tokens_lost()
    except DatabaseError as problem:
        yield error("secrets", f"They can't be read: {' '.join(str(problem).split())}", f"Run: {MIGRATE}")
        return
    if not (keys.secrets or factors.count or links.count):
        yield ok("secrets", "Every stored key, second factor and address of a shared link can be opened.")
    if keys.secrets:
        text = f"{keys.secrets} stored keys can't be opened."
        advice = f"{_put_back(keys.key_ids)}, or let admins of {', '.join(keys.organizations)} enter their keys again."
        yield error("secrets", text, advice)
    if factors.count:
        text = f"{factors.count} second factors can't be opened, so they take no code."
        yield error("second factors", text, f"{_put_back(factors.key_ids)}, or remove them from the people who can't sign in.")
    if links.count:
        text = f"The addresses of {links.count} shared links can't be opened, so their owners can't copy them. The links work on."
        yield warning("shared links", text, f"{_put_back(links.key_ids)}, or let their owners make new ones.")


def _put_back(key_ids: list[str]) -> str:
    return f"Put {', '.join(key_ids)} back into CREDENTIAL_KEYS"
