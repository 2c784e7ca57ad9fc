"""Checks of servers that the user named, so that a failure is one clear sentence instead of a child's traceback."""

from __future__ import annotations

import os
import secrets
from urllib.parse import urlsplit

from tools.embedded.environment import DATABASE_VARIABLES
from tools.embedded.output import StartError

TIMEOUT_S = 5
ROLES_HELP = "create the four roles with tools/embedded/roles.sql (docs/operations.md)"


def check_redis(variable: str, url: str) -> None:
    """Connect, then write and delete one key. Raises StartError, also for a server that is read-only."""
    import redis

    from tenants.redis.sync_clients import sync_connection

    place = f"{variable} ({without_password(url)})"
    unset = f"or unset {variable} to use {'the built-in server' if variable == 'REDIS_URL' else 'that of REDIS_URL'}"
    key = f"parley:probe:{secrets.token_hex(8)}"
    try:
        with sync_connection(url, timeout_s=TIMEOUT_S) as client:
            client.set(key, b"1", ex=60)
            client.delete(key)
    except redis.exceptions.ReadOnlyError as error:
        raise StartError(f"{place} is a read-only Redis (a replica). Parley writes there: name the primary, {unset}.") from error
    except redis.exceptions.AuthenticationError as error:
        raise StartError(f"{place} refuses the login: {error}. Put user and password into the URL.") from error
    except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError, redis.exceptions.RedisClusterException) as error:
        raise StartError(f"{place} cannot be reached: {error}. Start that server, {unset}.") from error
    except redis.exceptions.ResponseError as error:
        raise StartError(f"{place} refuses to write: {error}. Mend that server, {unset}.") from error
    except ValueError as error:
        raise StartError(f"{place} {error}") from error


def check_database() -> None:
    """Check that all four URLs are set, connect and name one database, and that no role can bypass row security.

    Raises StartError.
    """
    missing = [name for name in DATABASE_VARIABLES if not os.environ.get(name)]
    if missing:
        raise StartError(
            f"With a database of your own {', '.join(DATABASE_VARIABLES)} are all needed (four roles, one database); "
            f"missing: {', '.join(missing)}. First {ROLES_HELP}, or unset all four to use the built-in server."
        )
    databases = {check_role(name) for name in DATABASE_VARIABLES}
    if len(databases) > 1:
        raise StartError(f"{', '.join(DATABASE_VARIABLES)} name different databases ({', '.join(sorted(databases))}); they must name one.")
    check_distinct_roles()


def check_role(name: str) -> str:
    """Connect with one of the URLs and return the database's name. Raises StartError."""
    import psycopg

    url = os.environ[name]
    place = f"{name} ({without_password(url)})"
    query = """select current_database(), rolsuper or rolbypassrls, has_schema_privilege('public', 'create')
               from pg_roles where rolname = current_user"""
    try:
        with psycopg.connect(url, connect_timeout=TIMEOUT_S) as connection:
            row = connection.execute(query).fetchone()
    except psycopg.Error as error:
        reason = " ".join(str(error).split())
        raise StartError(f"{place} cannot be used: {reason}. Start that server, {ROLES_HELP}, or unset the four URLs.") from error
    database, steps_over, creates = row or ("", False, False)
    if steps_over:
        raise StartError(f"{place} connects as a role that steps over row security (superuser or BYPASSRLS); {ROLES_HELP}.")
    if name == "DATABASE_OWNER_URL" and not creates:
        raise StartError(f"{place} connects as a role that may not create tables in schema public; {ROLES_HELP}.")
    return str(database)


def check_distinct_roles() -> None:
    import psycopg

    users = [psycopg.conninfo.conninfo_to_dict(os.environ[name]).get("user") for name in DATABASE_VARIABLES]
    if len(set(users)) < len(users):
        raise StartError(f"{', '.join(DATABASE_VARIABLES)} must connect as four different roles; {ROLES_HELP}.")


def without_password(url: str) -> str:
    """Return the URL for a message: scheme, host and path, without user and password."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"
