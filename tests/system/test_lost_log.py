"""What viewers get when the event log is gone at an unlucky moment: the rows are the truth (ARCHITECTURE 3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg

from doubles.script import Text
from doubles.signals import Gate
from tests.support.system.product import Product, wait_for
from tests.system.client import Member, is_text, shown_text
from tests.system.request_predicates import is_chat_about


@contextmanager
def run_locked(product: Product, chat_id: str) -> Iterator[None]:
    """Hold the run's row, so that its owner waits with storing the answer."""
    with psycopg.connect(product.env["DATABASE_SYSTEM_URL"]) as connection:
        connection.execute("select 1 from chat_run where conversation_id = %s for update", [chat_id])
        yield


def test_a_log_that_is_lost_while_the_answer_is_being_stored_is_written_anew_with_it(product: Product, member: Member) -> None:
    gate = Gate("lost while storing")
    product.double.answer(Text("Before and "), gate, Text("after."), when=is_chat_about("clouds"))
    chat_id = str(uuid4())
    with member.socket() as socket:
        socket.chunks(socket.send(chat_id, "About clouds"), until=is_text)
        with run_locked(product, chat_id):
            gate.release()
            wait_for(lambda: "after" in product.log_text(chat_id), "the end of the text is in the log")
            product.wipe_redis()
            wait_for(lambda: product.log_text(chat_id), "the log is written anew")
    product.finished(chat_id)
    with member.socket() as socket:
        assert shown_text(socket.chunks(socket.resume(chat_id))) == "Before and after."


def test_a_message_that_is_sent_again_after_the_log_has_expired_gets_its_answer(product: Product, member: Member) -> None:
    product.double.answer(Text("Rain falls."), when=is_chat_about("rain"))
    chat_id, message_id = str(uuid4()), uuid4().hex
    with member.socket() as socket:
        socket.chunks(socket.send(chat_id, "About rain", message_id=message_id))
        product.finished(chat_id)
        product.wipe_redis()
        again = socket.send(chat_id, "About rain", message_id=message_id)
        assert shown_text(socket.chunks(again)) == "Rain falls."
