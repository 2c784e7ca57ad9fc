"""Viewers that come and go at random while answers are written: `python -m tests.system.attach_trials --trials N --seed S`.

Each trial asks for an answer of random kinds (thoughts, texts, documents, a message sent into it, a stop), through one of two web
processes, one under each ASGI server. Several viewers attach over the socket or over server-sent events, at either process, read for a
while, leave and come back. In the end all have to show the same, and what the database has.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import orjson

from doubles.script import Answer, Item, Pacing, ReceivedRequest, Text, Thought
from tests.support.system.product import Product, product
from tests.system.client import ORGANIZATION, Chunk, Member, is_text
from tests.system.kill_trials import words
from tests.system.request_predicates import create_document, is_document, is_title
from tests.system.shown_message import shown_parts
from tests.system.trial_servers import trial_servers

VIEWERS = 4
PACE = Pacing(tokens_per_s=400)
STEPS_MAX = 3
LEAVES_WITHIN_S = 0.8


@dataclass(frozen=True)
class Plan:
    """`steps`: for each step before the last one, whether it writes a document; `sends_message`, `stops`: what is done to the answer."""

    topic: str
    steps: tuple[bool, ...]
    sends_message: bool
    stops: bool
    seeds: tuple[int, ...]

    @classmethod
    def by(cls, rng: random.Random, number: int) -> Plan:
        steps = tuple(rng.random() < 0.6 for _ in range(rng.randrange(STEPS_MAX)))
        fate = rng.random()
        seeds = tuple(rng.randrange(10**6) for _ in range(VIEWERS + 1))
        return cls(f"trial{number}", steps, fate < 0.2, 0.2 <= fate < 0.4, seeds)

    def answer(self, request: ReceivedRequest) -> Answer | None:
        """The next step's answer, by what the request knows already."""
        if is_title(request):
            return Answer((Text("A title"),))
        if self.topic not in request.user_text and not is_document(request):
            return None
        return Answer(tuple(self._items(request)), PACE)

    def _items(self, request: ReceivedRequest) -> Iterator[Item]:
        if is_document(request):
            yield Text(words(self.topic, 30))
            return
        result_count = sum("functionResponse" in part for content in request.contents for part in content["parts"])
        yield Thought(f"Step {result_count}.")
        yield Text(words(f"{self.topic}-{result_count}", 20))
        if result_count < len(self.steps) and self.steps[result_count]:
            yield create_document(self.topic)
        elif result_count < len(self.steps):
            yield Text(words("more", 20))


@dataclass(frozen=True)
class Outcome:
    """`attached`: how often viewers came, together."""

    plan: Plan
    attached: int
    problems: tuple[str, ...]


class Viewer:
    """One person's tab that cannot keep its place."""

    def __init__(self, members: Sequence[Member], conversation_id: str, seed: int) -> None:
        self._members, self._id, self._rng = members, conversation_id, random.Random(seed)
        self.attached = 0

    def watch(self) -> list[Chunk]:
        """Come and go until an attachment saw the end; all that it saw. Raises AssertionError."""
        while True:
            member = self._rng.choice(self._members)
            leaves_at = time.monotonic() + self._rng.uniform(0, LEAVES_WITHIN_S) if self._rng.random() < 0.8 else None
            attach = self._over_socket if self._rng.random() < 0.5 else self._over_http
            self.attached += 1
            chunks = attach(member, leaves_at)
            assert not chunks or chunks[0]["type"] == "start", chunks[0]
            if chunks and chunks[-1]["type"] == "finish":
                return chunks

    def _over_socket(self, member: Member, leaves_at: float | None) -> list[Chunk]:
        with member.socket() as socket:
            request = socket.resume(self._id)
            if self._rng.random() < 0.2:  # a second look through the same socket
                socket.chunks(socket.resume(self._id), until=is_text)
            return socket.chunks(request, until=lambda _: leaves_at is not None and time.monotonic() > leaves_at)

    def _over_http(self, member: Member, leaves_at: float | None) -> list[Chunk]:
        chunks: list[Chunk] = []
        with member.http.stream("GET", f"{ORGANIZATION}/api/chat/{self._id}/stream") as response:
            assert response.status_code == 200, response.status_code
            for line in response.iter_lines():
                if line.startswith("data: {"):
                    chunks.append(orjson.loads(line.removeprefix("data: ")))
                if line == "data: [DONE]" or (leaves_at is not None and time.monotonic() > leaves_at):
                    break
        return chunks


def trial(plan: Plan, running: Product, members: Sequence[Member]) -> Outcome:
    rng, conversation_id = random.Random(plan.seeds[0]), str(uuid4())
    running.double.respond(plan.answer)
    asker = rng.choice(members)
    viewers = [Viewer(members, conversation_id, seed) for seed in plan.seeds[1:]]
    with asker.socket() as socket, ThreadPoolExecutor(VIEWERS) as threads:
        request = socket.send(conversation_id, f"About {plan.topic}")
        chunks = socket.chunks(request, until=is_text)
        futures = [threads.submit(viewer.watch) for viewer in viewers]
        _stop_or_send(plan, rng.choice(members), conversation_id)
        transcripts = {"the asker": chunks + socket.chunks(request)}
        problems: list[str] = []
        for number, future in enumerate(futures):
            try:
                transcripts[f"viewer {number}"] = future.result()
            except (AssertionError, TimeoutError, httpx2.HTTPError) as error:
                problems.append(f"viewer {number}: {error!r}")
    running.finished(conversation_id)
    parts = asker.conversation(conversation_id)["messages"][-1]["parts"]
    problems += [
        f"{who} shows {shown_parts(chunks)}, stored is {parts}" for who, chunks in transcripts.items() if shown_parts(chunks) != parts
    ]
    return Outcome(plan, sum(viewer.attached for viewer in viewers) + 1, tuple(problems))


def _stop_or_send(plan: Plan, member: Member, conversation_id: str) -> None:
    if plan.stops:
        assert member.post(f"conversations/{conversation_id}/stop/").is_success
    if plan.sends_message:
        body: dict[str, Any] = {"id": uuid4().hex, "text": f"More about {plan.topic}"}
        assert member.post(f"conversations/{conversation_id}/input/", body).status_code in (202, 409)


def trials(count: int, seed: int, running: Product, members: Sequence[Member]) -> Iterator[Outcome]:
    """Run `count` trials on a running product whose double has no other script. `members`: the member at each web process."""
    rng = random.Random(seed)
    for number in range(count):
        yield trial(Plan.by(rng, number), running, members)


def members_at_two_servers(running: Product, member: Member) -> list[Member]:
    """The member at the first web process and at one more, under the other server."""
    return [member, member.at(running.start_web().url)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.attach_trials", description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    failures = attachments = 0
    with ExitStack() as stack:
        stack.enter_context(trial_servers())
        running = stack.enter_context(product(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "data"))
        for outcome in trials(options.trials, options.seed, running, members_at_two_servers(running, Member(running.url))):
            attachments += outcome.attached
            if outcome.problems:
                failures += 1
                print(outcome.plan, *outcome.problems, sep="\n  ", flush=True)
    print(f"seed {options.seed}: {options.trials} answers, {attachments} attachments, {failures} answers with problems")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
