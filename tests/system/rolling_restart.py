"""Web processes and the worker are restarted one after the other under streams: `python -m tests.system.rolling_restart --streams N`.

Each stream asks one question after the other at a web process that answers, and follows its answer through whichever process it can
reach. Where the drain time suffices, no answer may be asked of the provider twice, begin anew or lose text that was shown.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Event
from uuid import uuid4

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from doubles.script import Answer, Pacing, ReceivedRequest, Text
from tests.support.system.product import Product, Web, product
from tests.support.system.product_servers import end, restart
from tests.system.client import Chunk, Member, answer_texts, is_text, shown_text
from tests.system.kill_trials import words
from tests.system.request_predicates import is_title
from tests.system.trial_servers import trial_servers
from tools.embedded.children import Child
from tools.embedded.programs import Program

DRAIN_S = 50
WORDS = 60
PACE = Pacing(tokens_per_s=20)
PASSWORD = "correct horse battery"  # of tests.support.accounts.cast, which needs Django
PEOPLE = (
    ("alice@example.org", "/o/acme"),
    ("bob@example.org", "/o/acme"),
    ("charlie@example.org", "/o/other"),
    ("frank@example.org", "/o/other"),
)
PAUSE_S = 0.2  # before a page that lost its socket tries another process
AWAY = (ConnectionClosed, InvalidHandshake, OSError, TimeoutError)


def answer(request: ReceivedRequest) -> Answer:
    topic = request.user_text.rpartition("About ")[2].split()[0] if "About " in request.user_text else ""
    return Answer((Text("A title"),)) if is_title(request) else Answer((Text(words(topic, WORDS)),), PACE)


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """`screens`: the text on the page whenever it lost its socket, and at the end. `longest_pause_s`: without anything new."""

    member: Member
    conversation_id: str
    topic: str
    screens: tuple[str, ...]
    resets: int
    longest_pause_s: float


class Stream:
    """One page, which asks again when it has its answer. `moves`: it reads each answer through another process than the one that it asked."""

    def __init__(self, members: Sequence[Member], number: int, *, moves: bool = False, name: str = "stream") -> None:
        self._members, self._moves = members, moves
        self._turn, self._name = number, f"{name}{number}"

    def ask_until(self, over: Event) -> list[SeenAnswer]:
        answers = list[SeenAnswer]()
        while not over.is_set():
            answers.append(self.ask(f"{self._name}n{len(answers)}"))
        return answers

    def ask(self, topic: str) -> SeenAnswer:
        """Ask about the topic and follow the answer to its end."""
        conversation_id, message_id = str(uuid4()), uuid4().hex
        screens, resets, is_sent = list[str](), 0, False
        times = list[float]()
        while True:
            chunks, leaves = list[Chunk](), self._moves and not is_sent

            def keep(chunk: Chunk, chunks: list[Chunk] = chunks, leaves: bool = leaves) -> bool:
                chunks.append(chunk)
                times.append(time.monotonic())
                return leaves

            try:
                with self._members[self._turn % len(self._members)].socket() as socket:
                    request = (
                        socket.resume(conversation_id) if is_sent else socket.send(conversation_id, f"About {topic}", message_id=message_id)
                    )
                    socket.chunks(request, until=keep)
            except AssertionError:
                pass  # refused, such as by a process that ends: the page sends it again
            except AWAY:
                self._turn += 1
            if leaves and chunks:
                self._turn += 1
            is_sent = is_sent or bool(chunks)
            if any(map(is_text, chunks)):
                screens.append(shown_text(chunks))
            resets += sum(chunk["type"] == "reset-step" for chunk in chunks)
            if chunks and chunks[-1]["type"] == "finish":
                pauses = [after - before for before, after in pairwise(times)]
                return SeenAnswer(self._members[0], conversation_id, topic, tuple(screens), resets, max(pauses))
            time.sleep(PAUSE_S)


def roll(running: Product, children: Sequence[Child]) -> None:
    """Restart each as a deployment does."""
    for child in children:
        end(child, signal.SIGTERM)
        restart(child)
        time.sleep(1)


def problems_of(answers: Sequence[SeenAnswer], running: Product) -> list[str]:
    request_counts = Counter(request.user_text for request in running.double.requests if request.tool_names)
    problems = [f"{text[-40:]} was asked {times} times" for text, times in request_counts.items() if times > 1]
    for each in answers:
        whole = words(each.topic, WORDS)
        if (texts := answer_texts(each.member.conversation(each.conversation_id))) != [whole]:
            problems.append(f"{each.topic} is stored as {texts}")
        if each.screens[-1] != whole or [*each.screens] != sorted(each.screens, key=len):
            problems.append(f"{each.topic} was shown as {each.screens}")
        if each.resets:
            problems.append(f"{each.topic} began anew")
        if (ends := running.call_errors(each.conversation_id)) != [""]:
            problems.append(f"{each.topic} is in the ledger as {ends}")
    return problems


def rolling_restart(running: Product, streams: int) -> tuple[int, list[str]]:
    """Return how many answers were written, and what was wrong. The product's drain time has to suffice."""
    answers = under_streams(running, streams, lambda second: roll(running, [running.web, second.child, running.worker]))
    return len(answers), problems_of(answers, running)


def under_streams(
    running: Product, streams: int, act: Callable[[Web], None], *, moves: bool = False, second: Web | None = None
) -> list[SeenAnswer]:
    """Return the answers that were written while `act`, which gets the second web process, did what it does."""
    running.double.respond(answer)
    second = second or running.start_web()
    Program("people", ["-m", "tests.e2e.seed_cast"], running.env, running.stack.layout.logs).run()
    people = [Member(running.url, login=(email, PASSWORD), organization=organization) for email, organization in PEOPLE]
    people.append(Member(running.url))  # a member may have ten answers at once
    places, over = [[person, person.at(second.url)] for person in people], Event()
    with ThreadPoolExecutor(streams) as threads:
        pages = [threads.submit(Stream(places[number % len(places)], number, moves=moves).ask_until, over) for number in range(streams)]
        try:
            time.sleep(2)
            act(second)
        finally:
            over.set()
        return [each for page in pages for each in page.result()]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.rolling_restart", description=__doc__)
    parser.add_argument("--streams", type=int, default=30)
    options = parser.parse_args()
    with ExitStack() as stack:
        stack.enter_context(trial_servers())
        data = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "data"
        running = stack.enter_context(product(data, DRAIN_S=str(DRAIN_S)))
        began = time.monotonic()
        answer_count, problems = rolling_restart(running, options.streams)
    print(*problems, sep="\n")
    print(f"{options.streams} streams, {answer_count} answers, {len(problems)} problems, {time.monotonic() - began:.0f} s")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
