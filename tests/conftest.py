"""What every test gets: the test database as in production, one thread, no network."""

from __future__ import annotations

import contextvars
import gc
import inspect
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from asgiref.sync import async_to_sync
from channels.layers import channel_layers
from django.conf import settings as django_settings
from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings as hypothesis_settings
from pytest_django import DjangoDbBlocker, Settings

from tests.support.accounts.fresh_sign_in import connect as connect_fresh_sign_in
from tests.support.stores.logins import allow_all_roles, own_connections, share_connection
from tests.support.suite.bytecode import import_own_share
from tests.support.suite.cheap_clients import cheap_clients
from tests.support.suite.lanes import Lanes, is_one_module, place_in_order, worker_count
from tests.support.suite.network import OutboundConnection, loopback_only

TESTS = Path(__file__).parent
WITH_SERVERS = {"system", "e2e", "embedded", "deploy"}


# Property tests: the same examples in every run, and none refused because the machine is slow.
hypothesis_settings.register_profile("parley", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def pytest_configure() -> None:
    hypothesis_settings.load_profile("parley")
    connect_fresh_sign_in()
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # fast
    in_memory = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    django_settings.STORAGES = {**django_settings.STORAGES, "files": in_memory}
    django_settings.DATABASE_ROUTERS = ["tests.support.stores.logins.FromTests", *django_settings.DATABASE_ROUTERS]
    allow_all_roles()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="also the cases that are left to the night (make test-nightly)")
    parser.addoption("--deploy", action="store_true", help="also the tests with programs of the distribution (make test-deploy)")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run does not even read the folders that it leaves out."""
    if collection_path.parent != TESTS:
        return None
    is_left_out = config.getoption("fast") and collection_path.name in WITH_SERVERS
    return True if is_left_out or (collection_path.name == "deploy" and not config.getoption("deploy")) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if left_out := {item for item in items if is_left_out(item, config)}:
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: place_in_order(item.nodeid))


def is_left_out(item: pytest.Item, config: pytest.Config) -> bool:
    if item.get_closest_marker("nightly") and not config.getoption("nightly"):
        return True
    needs_server = item.get_closest_marker("redis") or item.get_closest_marker("django_db") or "db" in getattr(item, "fixturenames", ())
    return bool(config.getoption("fast") and needs_server)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Lanes:
    return Lanes(config, log)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    return 0 if is_one_module(config.args) else worker_count(os.cpu_count() or 1)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """What is imported and collected stays: looking for garbage in it meanwhile took a quarter of each worker's start."""
    gc.disable()
    try:
        import_own_share(session.config)
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Everything that lives now lives to the end: no full collection has to look at it again, which took a sixth of the time."""
    import config.urls  # noqa: F401  the admin sites' pages are registered with the URLs

    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run coroutine tests so that thread-sensitive calls (the async ORM) stay on the main thread, in the test's transaction.

    In a context of its own: `async_to_sync` gives what a test sets there, such as patience with the database, to all later ones.
    """
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    contextvars.copy_context().run(async_to_sync(pyfuncitem.obj), **arguments)
    channel_layers.backends.clear()  # a channel layer belongs to its event loop: its locks can't be used in the next test's
    return True


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker, django_db_modify_db_settings: None
) -> Iterator[None]:
    from tests.security.secrets.canary import no_key_in
    from tests.support.stores.database import Sweeper, create_test_database, drop_test_database

    with django_db_blocker.unblock(), own_connections():
        name = create_test_database()
    sweeper = Sweeper(no_key_in)
    with patch.object(TransactionTestCase, "_fixture_teardown", sweeper.sweep):
        yield
    sweeper.close()
    with django_db_blocker.unblock(), own_connections():
        drop_test_database(name)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    share_connection(is_shared=not is_transactional(item))


def is_transactional(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("django_db")
    return bool(marker and marker.kwargs.get("transaction"))


@pytest.fixture(autouse=True)
def _database_work_stays_on_the_connection_of_the_test(request: pytest.FixtureRequest, settings: Settings) -> None:
    """Except in transactional tests, which use real threads and connections."""
    settings.DB_INLINE = not is_transactional(request.node)


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[list[OutboundConnection]]:
    with loopback_only() as refusals:
        yield refusals


@pytest.fixture(scope="session", autouse=True)
def _cheap_clients() -> Iterator[None]:
    with cheap_clients():
        yield


@pytest.fixture(autouse=True)
def _no_swallowed_connection(_no_network: list[OutboundConnection]) -> Iterator[None]:
    yield
    refusals = [*_no_network]
    _no_network.clear()
    assert not refusals, refusals[0]


@pytest.fixture(autouse=True)
def _no_key_in_a_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No record of any test holds the key of the doubles, in its text or in what it carries (SPEC 2.5)."""
    from tests.support.agents.gemini import CANARY_KEY

    yield
    for phase in ("setup", "call"):
        assert not [record.name for record in caplog.get_records(phase) if CANARY_KEY in f"{record.getMessage()} {record.__dict__!r}"]


@pytest.fixture(scope="session", autouse=True)
def _chunks_fit_the_sdk() -> Iterator[None]:
    """Every chunk that any test read from a chat's stream fits the AI SDK's own schema."""
    yield
    from tests.support.chat.chunk_shapes import schema_problems

    assert not (problems := schema_problems()), problems


@pytest.fixture
def cast(db: None) -> Any:
    """tests.support.accounts.cast.Cast: two organizations and their people."""
    from tests.support.accounts.cast import make_cast

    return make_cast()
