"""Processes die in the middle of answers; the reloaded page shows each answer whole and once (ARCHITECTURE 3)."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from uuid import uuid4

import pytest
from websockets.exceptions import ConnectionClosed

from chat.api.member_socket import CLOSE_RECONNECT
from chat.runs.recovery import SWEEP_S
from chat.storage.leases import LEASE_S
from doubles.script import Text
from doubles.signals import Gate
from tests.support.system.product import Product, wait_for
from tests.support.system.product_servers import WAIT_S, end, restart, wait_ended
from tests.system.client import Chunk, Member, answer_texts, is_text, shown_text
from tests.system.kill_trials import trials
from tests.system.request_predicates import create_document, is_chat_about, is_document_about

SLACK_S = 35  # a busy machine; less than WAIT_S leaves

MOUNTAINS = "Mountains grow slowly."
TEA = "# Tea\n\nWhite, green, black."
RIVERS = "Rivers find the sea."


def is_document_text(chunk: Chunk) -> bool:
    return bool(chunk["type"] == "data-artifact-delta")


@dataclass(frozen=True)
class RecoveredAnswers:
    """Three answers whose process was killed: in a text, in a document, and before the first token."""

    ids: dict[str, str]
    taken_over_s: float  # from the kill until a worker owned the last one
    at_kill: str  # what the next owners could know, for a message of a test that fails


@pytest.fixture(scope="module")
def recovered(product: Product, member: Member) -> RecoveredAnswers:
    in_text, in_document, before_first = gates = [Gate("text"), Gate("document"), Gate("waiting")]
    answer = product.double.answer
    answer(Text("Half of the "), in_text, when=is_chat_about("mountains"))
    answer(Text(MOUNTAINS), when=is_chat_about("mountains"))
    answer(create_document("tea"), when=is_chat_about("tea"))
    answer(Text("# Tea\n\nWhi"), in_document, when=is_document_about("tea"))
    answer(Text(TEA), when=is_document_about("tea"))
    answer(Text("It is written."), when=is_chat_about("tea"))
    answer(before_first, when=is_chat_about("rivers"))
    answer(Text(RIVERS), when=is_chat_about("rivers"))
    ids = {topic: str(uuid4()) for topic in ("mountains", "tea", "rivers")}

    with member.socket() as socket:
        requests = {topic: socket.send(chat_id, f"About {topic}") for topic, chat_id in ids.items()}
        socket.chunks(requests["mountains"], until=is_text)
        socket.chunks(requests["tea"], until=is_document_text)
        for gate in gates:
            gate.reached.wait()
        # Viewers in the same process see a step before Redis has it. A call that neither Redis nor a heartbeat knows is in no ledger.
        wait_for(lambda: all("start-step" in product.log_text(chat_id) for chat_id in ids.values()), "the logs show the calls' steps")
        began = time.monotonic()
        end(product.web, signal.SIGKILL)
    at_kill = "\n".join([*product.noted_calls(), *map(product.log_text, ids.values())])
    product.web.launch()
    wait_for(lambda: all(product.run(chat_id).epoch == 2 for chat_id in ids.values()), "a worker took the runs over")
    taken_over_s = time.monotonic() - began
    product.web.ready()
    product.finished(*ids.values())
    return RecoveredAnswers(ids, taken_over_s, at_kill)


each_answer = pytest.mark.parametrize(("topic", "text"), [("mountains", MOUNTAINS), ("tea", "It is written."), ("rivers", RIVERS)])


@each_answer
def test_after_kill_9_the_reloaded_page_shows_the_answer_whole_and_once(
    product: Product, member: Member, recovered: RecoveredAnswers, topic: str, text: str
) -> None:
    conversation = member.conversation(recovered.ids[topic])
    assert answer_texts(conversation) == [text]
    assert not conversation["activeRun"]
    run = product.run(recovered.ids[topic])
    assert (run.status, run.epoch, run.takeovers, run.lease_owner) == ("done", 2, 1, "")


@each_answer
def test_after_kill_9_a_late_viewer_gets_the_whole_replay(member: Member, recovered: RecoveredAnswers, topic: str, text: str) -> None:
    with member.socket() as socket:
        chunks = socket.chunks(socket.resume(recovered.ids[topic]))
    assert (chunks[0]["type"], chunks[-1]["type"]) == ("start", "finish")
    assert chunks[0]["messageId"] == member.conversation(recovered.ids[topic])["messages"][1]["id"]
    assert shown_text(chunks) == text


@pytest.mark.parametrize("topic", ["mountains", "rivers"])
def test_after_kill_9_both_calls_are_in_the_ledger(product: Product, recovered: RecoveredAnswers, topic: str) -> None:
    assert product.call_errors(recovered.ids[topic]) == ["owner_lost", ""], recovered.at_kill


def test_after_kill_9_a_document_has_one_whole_version(member: Member, recovered: RecoveredAnswers) -> None:
    [artifact] = member.conversation(recovered.ids["tea"])["artifacts"]
    document = member.get(f"artifacts/{artifact['id']}/")
    assert [(version["number"], version["isDraft"]) for version in document["versions"]] == [(1, False)]
    assert document["content"] == TEA


def test_a_worker_takes_over_within_a_lease_and_a_sweep(recovered: RecoveredAnswers) -> None:
    assert recovered.taken_over_s < LEASE_S + SWEEP_S + SLACK_S


def test_sigterm_lets_short_answers_end_and_hands_long_ones_over_at_once(product: Product, member: Member) -> None:
    short, long, document, never = Gate("short"), Gate("long"), Gate("document"), Gate("never")
    answer = product.double.answer
    answer(Text("A short "), short, Text("answer."), when=is_chat_about("birds"))
    answer(Text("Half of a long "), long, when=is_chat_about("whales"))
    answer(Text("Another half "), never, when=is_chat_about("whales"))
    answer(Text("Whales sing."), when=is_chat_about("whales"))
    answer(create_document("coffee"), when=is_chat_about("coffee"))
    answer(Text("# Coffee\n\nBi"), document, when=is_document_about("coffee"))
    answer(Text("# Coffee\n\nBitter."), when=is_document_about("coffee"))
    answer(Text("It is written."), when=is_chat_about("coffee"))
    birds, whales, coffee = (str(uuid4()) for _ in range(3))

    with member.socket() as socket:
        for topic, chat_id in (("birds", birds), ("whales", whales), ("coffee", coffee)):
            socket.send(chat_id, f"About {topic}")
        for gate in (short, long, document):
            gate.reached.wait()
        product.web.send(signal.SIGTERM)
        short.release()
        product.finished(birds)
        never.reached.wait(WAIT_S)
        assert product.run(whales).takeovers == 0, "nobody waited for the lease to expire"
        assert product.is_owned_by(product.worker, whales)
        product.finished(coffee)
        wait_ended(product.web)

    end(product.worker, signal.SIGTERM)
    assert product.run(whales).lease_owner == "", "the worker gave its run up, too"
    product.worker.launch()
    restart(product.web)
    product.finished(whales)

    assert [product.run(chat_id).epoch for chat_id in (birds, coffee, whales)] == [1, 2, 3]
    assert product.run(whales).takeovers == 0
    assert [answer_texts(member.conversation(chat_id)) for chat_id in (birds, whales)] == [["A short answer."], ["Whales sing."]]
    conversation = member.conversation(coffee)
    assert answer_texts(conversation) == ["It is written."]
    [artifact] = conversation["artifacts"]
    assert member.get(f"artifacts/{artifact['id']}/")["content"] == "# Coffee\n\nBitter."


def test_an_answer_survives_the_loss_of_redis(product: Product, member: Member) -> None:
    gate = Gate("wiped")
    product.double.answer(Text("Before and "), gate, Text("after."), when=is_chat_about("storms"))
    chat_id = str(uuid4())

    with member.socket() as socket:
        request = socket.send(chat_id, "About storms")
        socket.chunks(request, until=is_text)
        product.wipe_redis()
        with pytest.raises(ConnectionClosed) as error:
            socket.chunks(request)
    assert error.value.rcvd is not None
    assert error.value.rcvd.code == CLOSE_RECONNECT
    with member.socket() as socket:
        request = socket.resume(chat_id)
        replay = socket.chunks(request, until=is_text)
        gate.release()
        assert shown_text(replay + socket.chunks(request)) == "Before and after."

    assert answer_texts(member.conversation(chat_id)) == ["Before and after."]
    assert product.run(chat_id).epoch == 1


def test_kills_at_random_moments_lose_and_double_nothing(product: Product, member: Member) -> None:
    for outcome in trials(2, seed=1, running=product, member=member):
        assert not outcome.problems
