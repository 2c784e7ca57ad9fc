"""One host after the other is cut off under streams: `python -m tests.deploy.hosts.hosts_trial --streams N --cut-s S`.

It prints figures as JSON, a line for each host and problems.

Nothing may be lost: each answer ends once, and the page shows what is stored. Where the owner of an answer is cut off, another process
takes it over and asks the provider again, which is no problem.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import psycopg

from tests.deploy.hosts.hosted_product import HostedProduct, hosted_product
from tests.deploy.hosts.hosts import Host
from tests.support.system.product import wait_for
from tests.system.client import Member, answer_texts
from tests.system.kill_trials import words
from tests.system.rolling_restart import PASSWORD, PEOPLE, WORDS, SeenAnswer, Stream, answer
from tools.embedded.programs import Program
from tools.embedded.testing import DEFAULTS

BEFORE_S, AFTER_S = 4.0, 8.0
NOTE = b"Shared by a directory."


class Browser(Member):
    """A member whose sockets send no pings."""

    ping_s = None


def cut(host: Host, cut_s: float) -> None:
    time.sleep(BEFORE_S)
    host.cut_off()
    try:
        time.sleep(cut_s)
    finally:
        host.reconnect()
    time.sleep(AFTER_S)


def answers_while_cut(installation: HostedProduct, people: Sequence[Member], host: Host, streams: int, cut_s: float) -> list[SeenAnswer]:
    over = Event()
    with ThreadPoolExecutor(streams) as threads:
        pages = [
            threads.submit(Stream([people[number % len(people)]], number, name=host.name).ask_until, over) for number in range(streams)
        ]
        try:
            cut(host, cut_s)
        finally:
            over.set()
        return [each for page in pages for each in page.result()]


def problems_of(installation: HostedProduct, each: SeenAnswer) -> Iterator[str]:
    whole = words(each.topic, WORDS)
    [run] = installation.product.runs(each.conversation_id)
    if run.status != "done":
        yield f"{each.topic} is {run.status}"
    if (texts := answer_texts(each.member.conversation(each.conversation_id))) != [whole]:
        yield f"{each.topic} is stored as {texts}"
    if each.screens[-1] != whole or not all(map(whole.startswith, each.screens)):
        yield f"{each.topic} was shown as {each.screens}"
    ends = Counter(installation.product.call_errors(each.conversation_id))
    if ends.pop("", 0) != 1 or {*ends} - {"owner_lost"}:
        yield f"{each.topic} is in the ledger as {ends}"


def figures(installation: HostedProduct, host: Host, answers: Sequence[SeenAnswer]) -> dict[str, Any]:
    request_counts = Counter(request.user_text for request in installation.product.double.requests if request.tool_names)
    return {
        "host": host.name.rpartition("-")[2],
        "answers": len(answers),
        "takeovers": sum(run.takeovers for each in answers for run in installation.product.runs(each.conversation_id)),
        "asked_again": sum(request_counts[text] - 1 for text in request_counts if any(text.endswith(f" {each.topic}") for each in answers)),
        "longest_pause_s": round(max(each.longest_pause_s for each in answers), 1),
        "untitled": sum(each.member.conversation(each.conversation_id)["title"] != "A title" for each in answers),
        "problems": [problem for each in answers for problem in problems_of(installation, each)],
    }


def unfinished_count(installation: HostedProduct) -> int:
    with psycopg.connect(installation.product.env["DATABASE_SYSTEM_URL"]) as connection:
        [count] = connection.execute("select count(*) from chat_run where finished_at is null").fetchone() or [0]
    return int(count)


def file_problems(member: Member) -> Iterator[str]:
    """A file that one host took is read by another one's worker, and given out by both web processes."""
    file_id = member.upload("note.txt", NOTE)["id"]
    wait_for(lambda: member.http.get(f"{member.organization}/api/files/{file_id}/text/").is_success, "the file was read")
    for _ in range(4):  # the proxy takes turns
        response = member.http.get(member.get(f"files/{file_id}/")["downloadUrl"], follow_redirects=True)
        if response.content != NOTE:
            yield f"a file came as {response.status_code}"


def trial(installation: HostedProduct, streams: int, cut_s: float) -> Iterator[dict[str, Any]]:
    Program("people", ["-m", "tests.e2e.seed_cast"], installation.product.env, installation.product.stack.layout.logs).run()
    people = [Browser(installation.url, login=(email, PASSWORD), organization=organization) for email, organization in PEOPLE]
    people.append(Browser(installation.url))
    yield {"host": "files", "problems": [*file_problems(people[-1])]}
    installation.product.double.respond(answer)
    for host in (installation.hosts.web, installation.hosts.worker, installation.hosts.stores):
        answers = answers_while_cut(installation, people, host, streams, cut_s)
        began_s = time.monotonic()
        wait_for(installation.is_ready, "both web processes were ready again")
        wait_for(lambda: not unfinished_count(installation), "no answer was left")
        yield {**figures(installation, host, answers), "settled_s": round(time.monotonic() - began_s, 1)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.deploy.hosts.hosts_trial", description=__doc__)
    parser.add_argument("--streams", type=int, default=12)
    parser.add_argument("--cut-s", type=float, default=30.0)
    parser.add_argument("--folder", type=Path, help="where logs and data are kept")
    options = parser.parse_args()
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    with tempfile.TemporaryDirectory() as temporary, hosted_product(options.folder or Path(temporary)) as installation:
        results = []
        for figure in trial(installation, options.streams, options.cut_s):
            print(json.dumps(figure), flush=True)
            results.append(figure)
    return any(figure["problems"] for figure in results)


if __name__ == "__main__":
    sys.exit(main())
