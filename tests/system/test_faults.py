"""What a user meets when a server or a process fails: docs/reliability.md, one test for each line.

The product has PostgreSQL and Valkey of its own here, and four database connections. OUTAGE_S lengthens the outage of Redis.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2
import psycopg
import pytest
from websockets.exceptions import ConnectionClosedError

from chat.api.member_socket import CLOSE_RECONNECT
from chat.storage.leases import HEARTBEAT_S, LEASE_S
from doubles.script import Answer, Text
from doubles.signals import Gate
from tests.support.suite.time_limits import scaled_to_load
from tests.support.system.product import Product, product, wait_for
from tests.support.system.product_servers import end, restart, wait_ended
from tests.system.client import ChatSocket, Chunk, Member, answer_texts, is_text, shown_text
from tests.system.request_predicates import is_chat_about, is_title
from tools.embedded.children import Child

OUTAGE_S = float(os.environ.get("OUTAGE_S", LEASE_S + 2))
CONNECTIONS = 4
ANSWERED_S = 12  # a refusal: the wait for a connection, and a busy machine


@pytest.fixture(scope="module")
def breakable_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product whose servers a test may end; whoever ends something starts it again."""
    with product(tmp_path_factory.mktemp("faulty") / "data", has_own_servers=True, DB_POOL_SIZE=str(CONNECTIONS)) as running:
        running.double.respond(lambda request: Answer((Text("A title"),)) if is_title(request) else None)
        yield running


@pytest.fixture(autouse=True)
def restart_after_failure(breakable_product: Product) -> Iterator[None]:
    """A test that failed in the middle of its fault leaves it to no other."""
    yield
    breakable_product.restart_stopped()


@pytest.fixture(scope="module")
def member(breakable_product: Product) -> Member:
    return Member(breakable_product.url)


def begin_answer(breakable_product: Product, socket: ChatSocket, topic: str, *items: Text | Gate) -> tuple[str, str, list[Any]]:
    """An answer of these items that shows its first text; gives the conversation, the request and the chunks so far."""
    breakable_product.double.answer(*items, when=is_chat_about(topic))
    chat_id = str(uuid4())
    request = socket.send(chat_id, f"About {topic}")
    return chat_id, request, socket.chunks(request, until=is_text)


@contextmanager
def paused_process(child: Child) -> Iterator[None]:
    """The process stands still: it answers nobody, and keeps its connections."""
    child.send(signal.SIGSTOP)
    try:
        yield
    finally:
        child.send(signal.SIGCONT)


def is_ready(breakable_product: Product) -> bool:
    return httpx2.get(f"{breakable_product.url}/readyz", trust_env=False, timeout=60).status_code == 200


def within(seconds: float, what: Callable[[], Any]) -> Any:
    """What `what` returns, in time."""
    began = time.monotonic()
    result = what()
    assert time.monotonic() - began < scaled_to_load(seconds)
    return result


@dataclass
class OpenPage:
    """A page with a socket. One that is closed with 4409 makes the page read its answers again (docs/protocol.md)."""

    product: Product
    member: Member
    socket: ChatSocket

    def text(self, chat_id: str, request_id: str, chunks: Sequence[Chunk] = ()) -> str:
        """What it shows of the answer at its end."""
        try:
            return shown_text([*chunks, *self.socket.chunks(request_id)])
        except ConnectionClosedError as error:
            if error.rcvd is None or error.rcvd.code != CLOSE_RECONNECT:
                raise
            self.product.finished(chat_id)
            return answer_texts(self.member.conversation(chat_id))[0]


def test_answers_go_on_and_new_ones_begin_while_redis_does_not_answer(breakable_product: Product, member: Member) -> None:
    during, through, never = Gate("during"), Gate("through"), Gate("never")
    with member.socket() as socket:
        lakes, lakes_request, chunks = begin_answer(breakable_product, socket, "lakes", Text("Before "), during, Text("and during."))
        seas, seas_request, half = begin_answer(breakable_product, socket, "seas", Text("Before "), through, Text("and after."))
        ponds, _, _ = begin_answer(breakable_product, socket, "ponds", Text("Half "), never)
        breakable_product.double.answer(Text("Sent meanwhile."), when=is_chat_about("rain"))
        rain = str(uuid4())
        with paused_process(breakable_product.valkey):
            ends = time.monotonic() + OUTAGE_S
            during.release()
            rain_request = socket.send(rain, "About rain")
            assert within(ANSWERED_S, lambda: socket.frame(rain_request))["type"] == "start", "it is acknowledged"
            assert within(ANSWERED_S, lambda: member.post(f"conversations/{ponds}/stop/")).is_success
            for chat_id, text in ((lakes, "Before and during."), (rain, "Sent meanwhile."), (ponds, "Half ")):
                breakable_product.finished(chat_id)
                assert answer_texts(member.conversation(chat_id)) == [text], "it is stored"
            time.sleep(max(0, ends - time.monotonic()))  # the outage is longer than a lease
            through.release()
        screen = OpenPage(breakable_product, member, socket)
        assert screen.text(lakes, lakes_request, chunks) == "Before and during."
        assert screen.text(rain, rain_request) == "Sent meanwhile."
        assert screen.text(seas, seas_request, half) == "Before and after."
    breakable_product.finished(seas)
    assert breakable_product.run(ponds).status == "stopped"
    assert [breakable_product.run(chat_id).epoch for chat_id in (lakes, seas, rain, ponds)] == [1, 1, 1, 1], "no lease was lost"


def test_answers_survive_the_loss_of_redis_and_of_all_processes(breakable_product: Product, member: Member) -> None:
    gate, never = Gate("lost"), Gate("never")
    with member.socket() as socket:
        hills, _, _ = begin_answer(breakable_product, socket, "hills", Text("Before and "), gate, Text("after."))
        end(breakable_product.valkey, signal.SIGKILL)
        restart(breakable_product.valkey)
        gate.release()
        breakable_product.finished(hills)
    with member.socket() as again:
        assert shown_text(again.chunks(again.resume(hills))) == "Before and after."
        dunes, _, _ = begin_answer(breakable_product, again, "dunes", Text("Half "), never)
        breakable_product.double.answer(Text("Dunes wander."), when=is_chat_about("dunes"))
        for child in breakable_product.children:
            end(child, signal.SIGKILL)
    for child in breakable_product.children:
        child.launch()
    breakable_product.web.ready()
    breakable_product.finished(dunes)
    assert [answer_texts(member.conversation(chat_id)) for chat_id in (hills, dunes)] == [["Before and after."], ["Dunes wander."]]
    assert breakable_product.run(dunes).epoch == 2


def test_without_a_worker_answers_are_written_all_the_same(breakable_product: Product, member: Member) -> None:
    breakable_product.double.answer(Text("Nobody else is needed."), when=is_chat_about("solitude"))
    end(breakable_product.worker, signal.SIGKILL)
    with member.socket() as socket:
        assert shown_text(socket.chunks(socket.send(str(uuid4()), "About solitude"))) == "Nobody else is needed."
    breakable_product.worker.launch()


def test_answers_outlive_a_restart_of_postgres_and_nothing_acknowledged_is_lost(breakable_product: Product, member: Member) -> None:
    gate = Gate("restart")
    with member.socket() as socket:
        oaks, request, chunks = begin_answer(breakable_product, socket, "oaks", Text("Before and "), gate, Text("after."))
        end(breakable_product.postgres, signal.SIGINT)
        ends = time.monotonic() + OUTAGE_S
        gate.release()
        elms, message_id = str(uuid4()), uuid4().hex
        elms_request = socket.send(elms, "About elms", message_id=message_id)
        frame = within(ANSWERED_S, lambda: socket.frame(elms_request))
        assert frame["type"] == "error"
        assert "try again" in frame["errorText"]
        assert not is_ready(breakable_product)
        time.sleep(max(0, ends - time.monotonic()))  # the outage is longer than a lease
        restart(breakable_product.postgres)
        assert shown_text(chunks + socket.chunks(request)) == "Before and after."
        breakable_product.double.answer(Text("Elms are tall."), when=is_chat_about("elms"))
        assert shown_text(socket.chunks(socket.send(elms, "About elms", message_id=message_id))) == "Elms are tall."
    assert [answer_texts(member.conversation(chat_id)) for chat_id in (oaks, elms)] == [["Before and after."], ["Elms are tall."]]
    assert_one_owner_asked_once(breakable_product, oaks, "oaks")


def test_answers_outlive_a_lock_on_their_tables(breakable_product: Product, member: Member) -> None:
    gate = Gate("migration")
    with member.socket() as socket:
        firs, request, chunks = begin_answer(breakable_product, socket, "firs", Text("Before and "), gate, Text("after."))
        with psycopg.connect(breakable_product.env["DATABASE_OWNER_URL"]) as migration:
            migration.execute("lock table chat_run, chat_part in access exclusive mode")
            gate.release()
            time.sleep(OUTAGE_S)
        assert shown_text(chunks + socket.chunks(request)) == "Before and after."
    breakable_product.finished(firs)
    assert answer_texts(member.conversation(firs)) == ["Before and after."]
    assert_one_owner_asked_once(breakable_product, firs, "firs")


def test_answers_outlive_the_end_of_their_connections(breakable_product: Product, member: Member) -> None:
    gate = Gate("ended backends")
    with member.socket() as socket:
        yews, request, chunks = begin_answer(breakable_product, socket, "yews", Text("Before and "), gate, Text("after."))
        with psycopg.connect(breakable_product.env["DATABASE_OWNER_URL"]) as migration:
            migration.execute("lock table chat_part in access exclusive mode")
            gate.release()
            wait_for(lambda: waits_for_lock(breakable_product), "the owner's write waits for the lock")
            end_backends(breakable_product)
        assert shown_text(chunks + socket.chunks(request)) == "Before and after."
    breakable_product.finished(yews)
    assert_one_owner_asked_once(breakable_product, yews, "yews")


def waits_for_lock(breakable_product: Product) -> bool:
    query = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and usename = current_user"
    with psycopg.connect(breakable_product.env["DATABASE_URL"]) as connection:
        return connection.execute(query).fetchone() != (0,)


def end_backends(breakable_product: Product) -> None:
    """End the connections of all processes of the product."""
    query = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = current_user"
    for name in ("DATABASE_URL", "DATABASE_AUTH_URL", "DATABASE_SYSTEM_URL"):
        with psycopg.connect(breakable_product.env[name], autocommit=True) as connection:
            connection.execute(query)


def assert_one_owner_asked_once(breakable_product: Product, chat_id: str, topic: str) -> None:
    assert breakable_product.run(chat_id).epoch == 1, "no other process took it over"
    assert sum(map(is_chat_about(topic), breakable_product.double.requests)) == 1, "the provider was paid once"


def test_when_all_connections_are_held_sends_are_refused_in_words_and_leases_renewed(breakable_product: Product, member: Member) -> None:
    gate = Gate("held")
    with member.socket() as socket:
        birds, request, chunks = begin_answer(breakable_product, socket, "birds", Text("Before and "), gate, Text("after."))
        with psycopg.connect(breakable_product.env["DATABASE_OWNER_URL"]) as holder:
            holder.execute("lock table chat_conversation in access exclusive mode")
            began = breakable_product.lease_expiry(birds)
            requests = [socket.send(str(uuid4()), "About fish") for _ in range(3 * CONNECTIONS)]
            frames = within(ANSWERED_S, lambda: [socket.frame(each) for each in requests])
            wait_for(lambda: (breakable_product.lease_expiry(birds) - began).total_seconds() > 2 * HEARTBEAT_S, "the lease was renewed")
        assert {frame["type"] for frame in frames} == {"error"}
        assert all("try again" in frame["errorText"] for frame in frames)
        assert any("very busy" in frame["errorText"] for frame in frames), "some never had a connection"
        gate.release()
        assert shown_text(chunks + socket.chunks(request)) == "Before and after."
    assert breakable_product.finished(birds)[0].epoch == 1


def test_a_process_that_stood_still_for_longer_than_a_lease_adds_nothing(breakable_product: Product, member: Member) -> None:
    first, second = Gate("first owner"), Gate("second owner")
    breakable_product.double.answer(Text("First "), first, Text("owner's end."), when=is_chat_about("echoes"))
    with member.socket() as socket:
        chat_id, request, chunks = begin_answer(breakable_product, socket, "echoes", Text("Once and "), second, Text("only once."))
        with paused_process(breakable_product.web):
            second.reached.wait()
        first.release()
        chunks += socket.chunks(request, until=lambda chunk: chunk["type"] == "reset-step")
        second.release()
        assert shown_text(chunks + socket.chunks(request)) == "Once and only once."
    breakable_product.finished(chat_id)
    assert answer_texts(member.conversation(chat_id)) == ["Once and only once."]
    assert (breakable_product.run(chat_id).epoch, breakable_product.run(chat_id).status) == (2, "done")


def test_a_stopping_process_reports_not_ready_and_hands_over_its_runs(breakable_product: Product, member: Member) -> None:
    gate = Gate("draining")
    with member.socket() as socket:
        winds, _, _ = begin_answer(breakable_product, socket, "winds", Text("Until "), gate, Text("the end."))
        breakable_product.double.answer(Text("Taken over."), when=is_chat_about("tides"))
        tides = str(uuid4())
        assert is_ready(breakable_product)
        breakable_product.web.send(signal.SIGTERM)
        wait_for(lambda: not is_ready(breakable_product), "the process refuses traffic")
        with member.socket() as late:
            assert late.frame(late.send(tides, "About tides"))["type"] == "start", "it is stored"
        gate.release()
        breakable_product.finished(winds, tides)
    wait_ended(breakable_product.web)
    restart(breakable_product.web)
    assert [answer_texts(member.conversation(chat_id)) for chat_id in (winds, tides)] == [["Until the end."], ["Taken over."]]
    assert [breakable_product.run(chat_id).epoch for chat_id in (winds, tides)] == [1, 2]
