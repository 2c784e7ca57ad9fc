"""A web process with a standby to read from: search, reports and later pages ask it, and the primary while it is behind or away."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg

from chat.conversations.selectors import REVISION_SQL
from doubles.script import Answer, Text
from tests.deploy.stores.standby import Standby, running_standby
from tests.support.system.product import Product, product, wait_for
from tests.support.system.product_servers import end, restart
from tests.system.client import Member

PAGES = ("", "chat/run/", "usage/usagesum/", "usage/usagesum/tools/")  # of the admin


def test_reading_asks_the_standby_and_the_primary_while_it_is_behind_or_away(tmp_path: Path) -> None:
    with product(tmp_path / "primary", has_own_servers=True) as running:
        running.double.respond(lambda request: Answer((Text("Yes."),)))
        with running_standby(tmp_path / "standby", running.env["DATABASE_URL"]) as standby:
            writer = Member(running.url)
            reader = writer.at(running.start_web(DATABASE_REPLICA_URL=standby.url).url)
            say(running, writer, "first kumquat")
            wait_for(lambda: is_found(writer, "kumquat"), "the primary found it")
            wait_for(lambda: is_found(reader, "kumquat"), "the standby found it")

            before = standby.transactions()
            for page in PAGES:
                assert reader.http.get(f"/o/demo/admin/{page}").status_code == 200, page
            assert reader.http.get("/o/demo/api/usage/summary/").status_code == 200
            wait_for(lambda: standby.transactions() >= before + len(PAGES) + 1, "the standby had answered them")

            with open_transactions(running.env["DATABASE_OWNER_URL"]) as primary:
                say(running, writer, "a chat in the meantime")
                wait_for(lambda: is_found(reader, "meantime"), "the standby knows those that are open")
                [primary_revision] = primary.execute(f"select {REVISION_SQL}").fetchone() or [0]
                assert revision(standby) <= primary_revision

            standby.run("select pg_wal_replay_pause()")
            say(running, writer, "second rambutan")
            wait_for(lambda: is_found(writer, "rambutan"), "the primary found it")
            assert not is_found(reader, "rambutan")
            assert conversation_count(reader) == conversation_count(writer) == 3  # the first page is the primary's: nothing seems lost
            wait_for(lambda: is_found(reader, "rambutan"), "the primary answered, because the standby was behind")
            standby.run("select pg_wal_replay_resume()")

            before = standby.transactions()
            with psycopg.connect(running.env["DATABASE_OWNER_URL"], autocommit=True) as busy:

                def has_answered() -> bool:
                    busy.execute("select pg_current_xact_id()")  # where nobody writes, the last change grows old
                    return is_found(reader, "rambutan") and standby.transactions() > before

                wait_for(has_answered, "the standby answered again", poll_s=0.5)
            end(standby.child, signal.SIGQUIT)
            assert is_found(reader, "rambutan")  # the first one too
            restart(standby.child)


@contextmanager
def open_transactions(url: str) -> Iterator[psycopg.Connection[Any]]:
    """Keep transactions open that have written; give a connection beside them."""
    with ExitStack() as connections:
        for _ in range(20):
            connections.enter_context(psycopg.connect(url)).execute("select pg_current_xact_id()")
        yield connections.enter_context(psycopg.connect(url, autocommit=True))


def revision(standby: Standby) -> int:
    return standby.run(f"select {REVISION_SQL}")


def say(running: Product, member: Member, text: str) -> None:
    chat_id = str(uuid4())
    with member.socket() as socket:
        socket.chunks(socket.send(chat_id, text))
    running.finished(chat_id)


def is_found(member: Member, word: str) -> bool:
    return bool(member.get(f"search/?q={word}")["items"])


def conversation_count(member: Member) -> int:
    return len(member.get("conversations/")["items"])
