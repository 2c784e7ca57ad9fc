"""PostgreSQL and Valkey for a product: the session's, with a database of its own, or servers of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
import redis
from django.apps import apps
from psycopg import sql

from tests.support.stores.database import copy_template, drop_database, grant_privileges
from tools.embedded.children import Child
from tools.embedded.environment import DATABASE_VARIABLES, database_urls
from tools.embedded.layout import Layout
from tools.embedded.postgres import Postgres
from tools.embedded.privileges import postgres_privileges
from tools.embedded.stack import postgres_child, valkey_child
from tools.embedded.valkey import Valkey

WAIT_S = 90.0  # of a busy machine; nothing that works waits for it
WIPE_KEYS = "for _, name in ipairs(redis.call('keys', ARGV[1])) do redis.call('unlink', name) end"


def end(child: Child, signum: signal.Signals) -> None:
    """Send the signal and wait until the process is gone."""
    child.send(signum)
    wait_ended(child)


def wait_ended(child: Child) -> None:
    if child.process is not None:
        child.process.wait(WAIT_S)


def restart(child: Child) -> None:
    """Start an ended child and wait until it serves."""
    child.launch()
    child.ready()


@contextmanager
def own_servers(layout: Layout) -> Iterator[tuple[dict[str, str], tuple[Child, Child]]]:
    """Valkey, which forgets at its end, and PostgreSQL, which does not; gives the variables that lead to them, and the two."""
    postgres, valkey = Postgres(layout, postgres_privileges()), Valkey(layout, in_memory=True)
    servers = valkey_child(valkey), postgres_child(postgres)
    postgres.initialise()
    try:
        for child in servers:
            restart(child)
        postgres.create_roles()
        yield {**database_urls(postgres), "REDIS_URL": valkey.url}, servers
    finally:
        for child in servers:
            child.send(signal.SIGCONT)
            end(child, child.stop_signal)


@contextmanager
def shared_servers(name: str) -> Iterator[tuple[dict[str, str], tuple[Child, ...]]]:
    """A database and keys of its own on the session's servers."""
    with own_database(name) as databases:
        try:
            yield databases, ()
        finally:
            with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
                client.eval(WIPE_KEYS, 0, f"{name}:*")


@contextmanager
def own_database(name: str) -> Iterator[dict[str, str]]:
    """A database on the session's server, empty where Django is not set up; gives the three URLs that lead to it."""
    urls = {variable: with_database(os.environ[variable], name) for variable in DATABASE_VARIABLES}
    with psycopg.connect(with_database(urls["DATABASE_OWNER_URL"], "postgres"), autocommit=True) as owner:
        if apps.ready:
            copy_template(owner, name)
        else:
            owner.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
            with psycopg.connect(urls["DATABASE_OWNER_URL"], autocommit=True) as connection:
                grant_privileges(connection)
        try:
            yield urls
        finally:
            drop_database(owner, name)


def with_database(url: str, name: str) -> str:
    return urlsplit(url)._replace(path=f"/{name}").geturl()
