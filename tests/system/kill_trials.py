"""kill -9 at random moments, again and again: `python -m tests.system.kill_trials --trials N --seed S`.

Each trial asks for several answers of random kinds, kills the web process at a random moment (now and then Redis loses its keys too, or
the worker that takes over dies as well), sends the same messages again as a client does, and looks for an answer that is missing,
doubled or broken.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from websockets.exceptions import ConnectionClosed

from doubles.script import Answer, Item, Pacing, ReceivedRequest, Text, Thought
from tests.support.system.product import Product, product
from tests.support.system.product_servers import end, restart
from tests.system.client import ChatSocket, Member, answer_texts, shown_text
from tests.system.request_predicates import create_document, is_document, is_title
from tests.system.trial_servers import trial_servers

Kind = Literal["text", "document"]

TALKS = 4  # as many as the worker has threads
KILL_WITHIN_S = 2.0
PACE = Pacing(first_token_s=0.2, tokens_per_s=80)
WORDS = 40  # of about three tokens
_TOPIC = re.compile(r"trial\d+[a-z]")


def words(topic: str, count: int = WORDS) -> str:
    """A text in which a missing or doubled piece shows."""
    return " ".join(f"{topic}-{number}" for number in range(count))


@dataclass
class Question:
    """One question of a trial. `message_id` is the client's, so that sending it again is no second question."""

    kind: Kind
    topic: str
    id: str = field(default_factory=lambda: str(uuid4()))
    message_id: str = field(default_factory=lambda: uuid4().hex)

    @property
    def question(self) -> str:
        return f"{self.topic} {self.kind}"

    @property
    def answer(self) -> str:
        return words(self.topic) if self.kind == "text" else f"{self.topic} is written."

    def send(self, socket: ChatSocket) -> str:
        return socket.send(self.id, self.question, message_id=self.message_id)


def respond(request: ReceivedRequest) -> Answer:
    """The same answer to the same request, however often it is asked: what a trial expects does not depend on its kill."""
    return Answer(tuple(_items(request)), PACE)


def _items(request: ReceivedRequest) -> Iterator[Item]:
    if is_title(request):
        yield Text("A title")
        return
    if is_document(request):
        match = _TOPIC.search(request.user_text)
        assert match is not None
        yield Text(words(match[0]))
        return
    topic, kind = request.user_text.split()
    has_result = any("functionResponse" in part for part in request.body["contents"][-1]["parts"])
    if kind == "text":
        yield Thought("Hm.")
        yield Text(words(topic))
    elif has_result:
        yield Text(f"{topic} is written.")
    else:
        yield create_document(topic)


@dataclass(frozen=True)
class Plan:
    """`web_dies_s`: after the first answer has begun; `worker_dies_s`: after the death of web (None: it lives)."""

    web_dies_s: float
    redis_is_lost: bool
    worker_dies_s: float | None

    @classmethod
    def by(cls, rng: random.Random) -> Plan:
        web_dies_s, worker_dies_s = rng.uniform(0, KILL_WITHIN_S), rng.uniform(6, 10)
        return cls(web_dies_s, rng.random() < 0.25, worker_dies_s if rng.random() < 0.25 else None)


@dataclass(frozen=True)
class Outcome:
    """`interrupted`: answers that another process went on with. `recovery_s`: from the kill until the viewer had all.

    `plan`: what was to happen.
    """

    trial: int
    plan: Plan
    interrupted: int
    recovery_s: float
    problems: tuple[str, ...]


def trial(number: int, running: Product, member: Member, rng: random.Random) -> Outcome:
    talks = [Question(rng.choice(("text", "document")), f"trial{number}{letter}") for letter in "abcdef"[:TALKS]]
    plan = Plan.by(rng)
    with member.socket() as socket:
        first, *_ = [talk.send(socket) for talk in talks]
        socket.frame(first)  # the others may be stored or not
        time.sleep(plan.web_dies_s)
        kill_time = time.monotonic()
        end(running.web, signal.SIGKILL)
        if plan.redis_is_lost:
            running.wipe_redis()
    restart(running.web)
    if plan.worker_dies_s is not None:
        time.sleep(max(0.0, kill_time + plan.worker_dies_s - time.monotonic()))
        end(running.worker, signal.SIGKILL)
        running.worker.launch()
    problems = tuple(_viewer_problems(member, talks))
    recovery_s = time.monotonic() - kill_time
    problems += tuple(problem for talk in talks for problem in _stored_problems(running, member, talk))
    interruptions = sum(row.epoch > 1 for talk in talks for row in running.runs(talk.id))
    return Outcome(number, plan, interruptions, recovery_s, problems)


def _viewer_problems(member: Member, talks: list[Question]) -> Iterator[str]:
    """Send every message again, as a client does whose connection broke, and follow the answers to their ends."""
    with member.socket() as socket:
        requests = [talk.send(socket) for talk in talks]
        for talk, request in zip(talks, requests, strict=True):
            try:
                text = shown_text(socket.chunks(request))
            except (TimeoutError, ConnectionClosed, AssertionError) as error:
                yield f"{talk.question}: the viewer got no answer: {error!r}"
                continue
            if text != talk.answer:
                yield f"{talk.question}: the viewer saw {text!r}"


def _stored_problems(running: Product, member: Member, talk: Question) -> Iterator[str]:
    """What is wrong with an answer as the reloaded page shows it."""
    try:
        running.finished(talk.id)
    except (TimeoutError, ValueError) as error:
        yield f"{talk.question}: {error}, {running.runs(talk.id)}"
        return
    conversation = member.conversation(talk.id)
    roles = [message["role"] for message in conversation["messages"]]
    if roles != ["user", "assistant"]:
        yield f"{talk.question}: messages {roles}"
    elif answer_texts(conversation) != [talk.answer]:
        yield f"{talk.question}: stored {answer_texts(conversation)!r}"
    elif talk.kind == "document":
        yield from _document_problems(member, talk, conversation["artifacts"])


def _document_problems(member: Member, talk: Question, artifacts: list[dict[str, Any]]) -> Iterator[str]:
    contents = [member.get(f"artifacts/{artifact['id']}/") for artifact in artifacts]
    documents = [(content["content"], [version["number"] for version in content["versions"]]) for content in contents]
    if documents != [(words(talk.topic), [1])]:
        yield f"{talk.question}: documents {documents!r}"


def trials(count: int, seed: int, running: Product, member: Member) -> Iterator[Outcome]:
    """Run `count` trials on a running product, whose double must have no other script."""
    rng = random.Random(seed)
    running.double.respond(respond)
    for number in range(count):
        yield trial(number, running, member, rng)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.kill_trials", description=__doc__)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    failures = interruptions = 0
    with ExitStack() as stack:
        stack.enter_context(trial_servers())
        running = stack.enter_context(product(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "data"))
        for outcome in trials(options.trials, options.seed, running, Member(running.url)):
            print(replace(outcome, problems=()), *outcome.problems, sep="\n  ", flush=True)
            failures += bool(outcome.problems)
            interruptions += outcome.interrupted
    print(f"seed {options.seed}: {options.trials} trials, {interruptions} answers interrupted, {failures} trials with problems")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
