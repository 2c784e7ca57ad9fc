"""Checks of what is around a process (database, Redis, files) before it serves. Values of variables are checked in config.env.

One that can't work ends with one sentence that names the cause and the way out.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Event, Thread
from typing import Final, cast

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, OperationalError, connections
from django.db.backends.postgresql.base import DatabaseWrapper

from config.monitoring.fatal_errors import say
from config.redis_mode_check import mode_problem
from files.errors import FileStoreUnavailable
from files.store.marker import store_problem
from security.secrets.lost_keys import lost_keys
from tenants.postgres.migration_state import is_migrating, migrations_missing, missing_migrations
from tenants.postgres.row_security_checks import require_row_security
from tenants.postgres.unpooled_connection import unpooled_connection
from tenants.redis.clients import REDIS_ERRORS
from tenants.redis.stores import VARIABLES, own_stores

MIGRATION_PAUSE_S: Final = 1.0  # between two looks
MAX_NAMED = 20  # organizations and addresses in the warning about lost keys

log = structlog.get_logger(__name__)

_is_waiting = Event()  # a web process listens already, and lets nobody in


def check_start(*, has_files: bool = True) -> None:
    """Refuse a database that can't be reached or is not safe, and another store of files than that of all others; warn of lost keys.

    Leaves no connection open. `has_files`: whether the process reads or writes files, which beat does not. Waits MIGRATION_WAIT_S for the
    tables of this code. Says the cause, in one line where it is known, and raises SystemExit: Celery would swallow any other exception of a
    signal's receiver, and start.
    """
    with _report_fatal_errors():
        _check_surroundings()
        _wait_for_tables()
        _check_tables(has_files=has_files)


def check_web_start(open_gate: Callable[[], None]) -> None:
    """Do as `check_start` does, but return at once; then `open_gate` is called when the tables are there.

    So a process that waits already says on /readyz why. When it has waited in vain, the process ends.
    """
    with _report_fatal_errors():
        _check_surroundings()
        if _table_problem():
            _is_waiting.set()
            Thread(target=_open_when_migrated, args=(open_gate,), name="start-checks", daemon=True).start()
        else:
            _check_tables()
            open_gate()


def is_waiting() -> bool:
    """Return whether this web process still lets nobody in: the tables may be there a moment before the checks are done."""
    return _is_waiting.is_set()


def _open_when_migrated(open_gate: Callable[[], None]) -> None:
    try:
        with _report_fatal_errors():
            _wait_for_tables()
            _check_tables()
    except SystemExit:
        os._exit(1)  # the server knows nothing of this thread; nobody was let in, so there is nothing to drain
    open_gate()
    _is_waiting.clear()


@contextmanager
def _report_fatal_errors() -> Iterator[None]:
    try:
        yield
    except (ImproperlyConfigured, DatabaseError) as error:
        say(_one_line(error))
        sys.exit(1)
    except Exception:
        log.exception("start_failed")
        sys.exit(1)
    finally:
        _close("system")


def _wait_for_tables() -> None:
    """Return when the database has the tables of this code. Raises ImproperlyConfigured after MIGRATION_WAIT_S."""
    end_s, is_logged = time.monotonic() + settings.MIGRATION_WAIT_S, False
    while problem := _table_problem():
        if time.monotonic() >= end_s:
            raise ImproperlyConfigured(problem)
        if not is_logged:
            log.warning("migrations_awaited", reason=_one_line(problem), wait_s=settings.MIGRATION_WAIT_S)
            is_logged = True
        time.sleep(MIGRATION_PAUSE_S)
    if is_logged:
        log.info("migrations_found")


def _table_problem() -> str:
    """Return why to wait, or "". A `migrate` that is at work makes its tables first and gives the roles their rights at its end."""
    with unpooled_connection("default") as connection:
        if missing := missing_migrations(connection):
            return migrations_missing(missing)
        if not is_migrating(connection):
            return ""
    try:
        require_row_security()
    except ImproperlyConfigured as error:
        return str(error)
    return ""


def _check_surroundings() -> None:
    _check_error_reports()
    _check_logins()
    _check_redis()


def _check_tables(*, has_files: bool = True) -> None:
    require_row_security()
    if has_files:
        _check_files()
    _warn_of_lost_keys()


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
    except FileStoreUnavailable:
        log.warning("file_store_away", place=settings.FILES_PLACE)
        return
    except OSError as error:
        raise ImproperlyConfigured(f"{settings.FILES_PLACE} can't be used: {error.strerror}") from error
    if problem:
        raise ImproperlyConfigured(problem)


def _check_logins() -> None:
    for alias, variable in (("default", "DATABASE_URL"), ("auth", "DATABASE_AUTH_URL"), ("system", "DATABASE_SYSTEM_URL")):
        try:
            with unpooled_connection(alias):
                pass
        except OperationalError as error:
            raise ImproperlyConfigured(f"{variable} cannot be used: {_one_line(error)}") from error


def _warn_of_lost_keys() -> None:
    """Log which stored secrets can't be opened because their key is not in CREDENTIAL_KEYS any more."""
    report = lost_keys()
    if report.secrets:
        log.warning(
            "credential_keys_lost",
            secrets=report.secrets,
            key_ids=report.key_ids,
            organizations=report.organizations[:MAX_NAMED],
            addresses=report.origins[:MAX_NAMED],
            what_to_do="Put the key back into CREDENTIAL_KEYS, or let admins enter these secrets again.",
        )


def _close(alias: str) -> None:
    connection = connections[alias]
    connection.close()
    cast(DatabaseWrapper, connection).close_pool()  # a worker would inherit its connections by fork and share them


def _one_line(error: Exception | str) -> str:
    return " ".join(str(error).split())
