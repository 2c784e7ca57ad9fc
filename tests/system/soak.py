"""Many chats for a long time, with a fault each minute: `python -m tests.system.soak --minutes 60 --chats 100`.

Each chat asks one question after the other, at two web processes and two workers with Redis behind Sentinels. Each answer has to end once
and be stored and shown whole, no process may end by itself, and those that live to the end may not grow.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import mean
from threading import Event, Lock

import httpx2
import psutil
import psycopg

from doubles.script import Answer, Pacing, ReceivedRequest, Text
from tests.deploy.stores.sentinels import running_sentinels
from tests.support.system.product import CALL_END, Product, product, wait_for
from tests.system.client import Member, answer_texts
from tests.system.kill_trials import words
from tests.system.request_predicates import is_title
from tests.system.rolling_restart import PASSWORD, WORDS, SeenAnswer, Stream
from tests.system.soak_faults import FAULTS, Place
from tests.system.soak_people import login
from tests.system.trial_servers import trial_servers
from tools.embedded.programs import Program

CHATS_OF_A_MEMBER = 8  # a member may have ten answers at once
MINUTE_S = 60.0
WARM_UP_MINUTES = 3  # until caches and pools are filled
GROWTH_MB, GROWTH = 30.0, 0.15  # from the first third after the warm-up to the last one
LONG_PAUSE_S = 10.0

# Runs of the soak that did not end well, and those whose model calls were not one good one and those of lost owners.
_NOT_DONE = "select status, count(*) from chat_run where status <> 'done' group by status"
_NOT_ONCE = f"""
with call as (select run_id, created_at, {CALL_END} as ended_as from chat_modelcall where kind = 'step')
select ends, count(*) from (
    select array_agg(ended_as order by created_at) as ends from call group by run_id
    having count(*) filter (where ended_as = '') <> 1 or count(*) filter (where ended_as not in ('', 'owner_lost')) > 0
) as found group by ends"""
_TAKEOVERS = "select coalesce(sum(takeovers), 0) from chat_run"


class Tally:
    """What the chats' threads saw."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.answers = self.long_pauses = 0
        self.longest_pause_s = 0.0
        self.problems = list[str]()

    def add(self, answer: SeenAnswer) -> None:
        problems = [*problems_of(answer)]
        with self._lock:
            self.answers += 1
            self.long_pauses += answer.longest_pause_s > LONG_PAUSE_S
            self.longest_pause_s = max(self.longest_pause_s, answer.longest_pause_s)
            self.problems += problems

    def fail(self, problem: str) -> None:
        print(problem, flush=True)
        with self._lock:
            self.problems.append(problem)


def problems_of(answer: SeenAnswer) -> Iterator[str]:
    whole = words(answer.topic, WORDS)
    if answer.screens[-1] != whole or not all(map(whole.startswith, answer.screens)):
        yield f"{answer.topic} was shown as {answer.screens}"
    texts: list[str] = []

    def is_read() -> bool:
        try:
            response = answer.member.http.get(f"{answer.member.organization}/api/conversations/{answer.conversation_id}/")
        except httpx2.TransportError:  # the web process was killed while it was asked
            return False
        if response.is_success:  # refused while the database is locked or its connections end
            texts[:] = answer_texts(response.json())
        return response.is_success

    wait_for(is_read, "a conversation was read", poll_s=1)
    if texts != [whole]:
        yield f"{answer.topic} is stored as {texts}"


def chat(place: Sequence[Member], number: int, tally: Tally, over: Event) -> None:
    stream = Stream(place, number, moves=number % 2 == 1)
    turn = 0
    while not over.is_set():
        try:
            tally.add(stream.ask(f"chat{number}n{turn}"))
        except Exception as error:  # noqa: BLE001  the others go on, and it is told
            tally.fail(f"chat {number}: {error!r}")
        turn += 1


class Memory:
    """How much memory the processes that live to the end have, each minute."""

    def __init__(self, running: Product) -> None:
        processes = {child.name: child.process for child in running.children}
        self._processes = {name: psutil.Process(process.pid) for name, process in processes.items() if process}
        self.mb: dict[str, list[float]] = {name: [] for name in self._processes}

    def look(self) -> dict[str, float]:
        for name, process in self._processes.items():
            self.mb[name].append(round(process.memory_info().rss / 1e6, 1))
        return {name: values[-1] for name, values in self.mb.items()}

    def growth(self) -> Iterator[tuple[str, float, float]]:
        """Yield name, mean of the first third after the warm-up, and mean of the last one."""
        for name, values in self.mb.items():
            warm = values[WARM_UP_MINUTES:] or values
            third = max(1, len(warm) // 3)
            yield name, mean(warm[:third]), mean(warm[-third:])


def problems_in_rows(env: Mapping[str, str]) -> Iterator[str]:
    with psycopg.connect(env["DATABASE_SYSTEM_URL"]) as connection:
        yield from (f"{count} answers are {status}" for status, count in connection.execute(_NOT_DONE))
        yield from (f"calls of {count} answers ended as {ends}" for ends, count in connection.execute(_NOT_ONCE))


def takeovers(env: Mapping[str, str]) -> int:
    with psycopg.connect(env["DATABASE_SYSTEM_URL"]) as connection:
        [count] = connection.execute(_TAKEOVERS).fetchone() or [0]
    return int(count)


def soak(place: Place, minutes: int, chats: int, pace: Pacing) -> tuple[Tally, Memory]:
    running = place.product

    def answer(request: ReceivedRequest) -> Answer:
        topic = request.user_text.rpartition("About ")[2].split()[0] if "About " in request.user_text else ""
        return Answer((Text("A title"),)) if is_title(request) else Answer((Text(words(topic, WORDS)),), pace)

    running.double.respond(answer)
    people = signed_in(running, -(-chats // CHATS_OF_A_MEMBER))
    places = [[person, person.at(place.second_web.url)] for person in people]
    tally, over, memory = Tally(), Event(), Memory(running)
    with ThreadPoolExecutor(chats) as threads:
        for number in range(chats):
            threads.submit(chat, places[number % len(places)], number, tally, over)
        try:
            for minute in range(minutes):
                began_s = time.monotonic()
                fault = FAULTS[minute % len(FAULTS)]
                fault(place)
                time.sleep(max(0.0, began_s + MINUTE_S - time.monotonic()))
                running.double.requests.clear()
                for name in place.dead_processes():
                    tally.fail(f"{name} had ended by itself in minute {minute + 1}")
                figures = {"minute": minute + 1, "fault": fault.__name__, "answers": tally.answers, "problems": len(tally.problems)}
                print(json.dumps({**figures, "mb": memory.look(), "longest_pause_s": round(tally.longest_pause_s, 1)}), flush=True)
        finally:
            over.set()
    return tally, memory


def signed_in(running: Product, count: int) -> list[Member]:
    Program("people", ["-m", "tests.system.soak_people", str(count)], running.env, running.stack.layout.logs).run()
    logins = [login(number) for number in range(count)]
    return [Member(running.url, login=(address, PASSWORD), organization=f"/o/{slug}") for address, slug in logins]


@contextmanager
def soaked_product(folder: Path) -> Iterator[Place]:
    with (
        running_sentinels(folder / "redis") as sentinels,
        product(folder / "data", REDIS_URL=sentinels.url, API_READS_PER_MINUTE="0", API_WRITES_PER_MINUTE="0") as running,
    ):
        yield Place(running, sentinels, running.start_web(), running.start_worker())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.soak", description=__doc__)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--chats", type=int, default=100)
    parser.add_argument("--tokens-per-s", type=float, default=20.0, help="of each answer")
    options = parser.parse_args()
    with ExitStack() as stack:
        stack.enter_context(trial_servers())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = stack.enter_context(soaked_product(folder))
        tally, memory = soak(place, options.minutes, options.chats, Pacing(tokens_per_s=options.tokens_per_s))
        problems = [*tally.problems, *problems_in_rows(place.product.env)]
        taken_over = takeovers(place.product.env)
    problems += [f"{name} grew from {a:.0f} to {b:.0f} MB" for name, a, b in memory.growth() if b > a * (1 + GROWTH) + GROWTH_MB]
    print(*problems, sep="\n")
    figures = {
        "minutes": options.minutes,
        "chats": options.chats,
        "answers": tally.answers,
        "problems": len(problems),
        "takeovers": taken_over,
    }
    pauses = {"pauses_over_10_s": tally.long_pauses, "longest_pause_s": round(tally.longest_pause_s, 1)}
    print(json.dumps({**figures, **pauses, "mb": {name: [round(a), round(b)] for name, a, b in memory.growth()}}))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
