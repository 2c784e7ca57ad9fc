"""Checks before a process serves. One that can't work ends with one sentence that names the cause and the way out."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import cast

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, OperationalError, connections
from django.db.backends.postgresql.base import DatabaseWrapper

from config.monitoring.last_words import say
from config.redis_modes import mode_problem
from files.errors import FileStoreAway
from files.store.marker import store_problem
from security.secrets.lost_keys import lost_keys
from tenants.postgres.direct_connection import direct_connection
from tenants.postgres.migration_state import require_migrations
from tenants.postgres.row_security_checks import require_row_security
from tenants.redis.clients import REDIS_ERRORS
from tenants.redis.stores import VARIABLES, own_stores

MAX_NAMED = 20  # organizations and addresses in the warning about lost keys

log = structlog.get_logger(__name__)


def check_start(*, has_files: bool = True) -> None:
    """Refuse a database that can't be reached, is not migrated or is not safe, and another store of files than that of all others; warn of
    lost credential keys. Leaves no connection open. `has_files`: whether the process reads or writes files, which beat does not.

    Says the cause in one line and raises SystemExit: Celery would swallow any other exception of a signal's receiver.
    """
    try:
        _check_error_reports()
        _check_logins()
        _check_redis()
        require_row_security()
        if has_files:
            _check_files()
        _warn_of_lost_keys()
    except (ImproperlyConfigured, DatabaseError) as error:
        say(_one_line(error))
        sys.exit(1)
    finally:
        _close("system")


def _check_error_reports() -> None:
    if settings.SENTRY_DSN and find_spec("sentry_sdk") is None:
        raise ImproperlyConfigured("SENTRY_DSN is set, but sentry-sdk is not installed. Install parley[error-reports], or unset it.")


def _check_redis() -> None:
    """Refuse stores of the wrong kind. One that is away is only named: everything waits for it, and goes on when it is back."""
    for store in own_stores():
        try:
            problem = mode_problem(store)
        except REDIS_ERRORS as error:
            log.warning("redis_away", variable=VARIABLES[store], reason=_one_line(error))
            continue
        if problem:
            raise ImproperlyConfigured(problem)


def _check_files() -> None:
    """Refuse another store. One that is away is only named: what needs no files goes on."""
    try:
        problem = store_problem()
    except FileStoreAway:
        log.warning("file_store_away", place=settings.FILES_PLACE)
        return
    except OSError as error:
        raise ImproperlyConfigured(f"{settings.FILES_PLACE} can't be used: {error.strerror}") from error
    if problem:
        raise ImproperlyConfigured(problem)


def _check_logins() -> None:
    for alias, variable in (("default", "DATABASE_URL"), ("auth", "DATABASE_AUTH_URL"), ("system", "DATABASE_SYSTEM_URL")):
        try:
            with direct_connection(alias) as connection:
                if alias == "default":
                    require_migrations(connection)
        except OperationalError as error:
            raise ImproperlyConfigured(f"{variable} cannot be used: {_one_line(error)}") from error


def _warn_of_lost_keys() -> None:
    """Log which stored secrets can't be opened because their key is not in CREDENTIAL_KEYS any more."""
    lost = lost_keys()
    if lost.secrets:
        log.warning(
            "credential_keys_lost",
            secrets=lost.secrets,
            key_ids=lost.key_ids,
            organizations=lost.organizations[:MAX_NAMED],
            addresses=lost.origins[:MAX_NAMED],
            what_to_do="Put the key back into CREDENTIAL_KEYS, or let admins enter these secrets again.",
        )


def _close(alias: str) -> None:
    connection = connections[alias]
    connection.close()
    cast(DatabaseWrapper, connection).close_pool()  # a worker would inherit its connections by fork and share them


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
