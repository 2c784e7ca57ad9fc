"""An update: the next version's processes wait for its tables, this one's go on with them, and nobody who reads an answer notices."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from tests.support.system.product import Product, Web, product, wait_for
from tests.support.system.product_servers import end, restart
from tests.system.client import Member, shown_text
from tests.system.kill_trials import words
from tests.system.next_version import make_next_version
from tests.system.rolling_restart import DRAIN_S, WORDS, problems_of, under_streams

STREAMS = 6


def readiness(url: str) -> tuple[int, dict[str, Any]]:
    answer = httpx2.get(f"{url}/readyz", trust_env=False)
    return answer.status_code, answer.json()


def is_ready(url: str) -> bool:
    return readiness(url)[0] == 200


def update(running: Product, code: Path, migration: str, next_web: Web) -> None:
    """Migrate while both versions run; then start this one's web process again, as after a crash."""
    status, states = readiness(next_web.url)
    assert (status, states["database"], states["migrations"]) == (503, True, False)
    page = httpx2.get(f"{next_web.url}/login/", trust_env=False)
    assert (page.status_code, page.json()["error"]["code"]) == (503, "unavailable")
    assert f"chat.{migration}" in next_web.child.log.read_text()
    assert is_ready(running.url)
    command = [sys.executable, "-m", "config", "migrate"]
    result = subprocess.run(command, cwd=code, env=running.env, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    wait_for(lambda: is_ready(next_web.url), "the next version was ready")
    time.sleep(4)  # answers of both, each read through the other one
    end(running.web, signal.SIGTERM)
    restart(running.web)
    wait_for(lambda: is_ready(running.url), "this version was ready on the next one's tables")
    time.sleep(2)


def is_answered(member: Member) -> bool:
    """Whether a new chat gets its answer and its title."""
    chat_id = str(uuid4())
    with member.socket() as socket:
        text = shown_text(socket.chunks(socket.send(chat_id, "About next")))
    wait_for(lambda: member.conversation(chat_id)["title"] == "A title", "a worker of the next version wrote the title")
    return text == words("next", WORDS)


@pytest.mark.nightly
def test_new_code_waits_for_its_tables_and_old_code_goes_on_with_them(tmp_path: Path, django_db_setup: None) -> None:
    with product(tmp_path / "data", DRAIN_S=str(DRAIN_S)) as running:
        code = tmp_path / "next"
        migration = make_next_version(code, running.env)
        next_web, next_worker = running.start_web(code=code), running.start_worker(code=code)
        wait_for(lambda: "migrations_awaited" in next_worker.log.read_text(), "the next version's worker waited")
        answers = under_streams(running, STREAMS, lambda web: update(running, code, migration, web), moves=True, second=next_web)
        problems = problems_of(answers, running)
        for old in (running.web, running.worker):
            end(old, signal.SIGTERM)
        assert is_answered(answers[0].member.at(next_web.url))
    assert not problems
    assert len(answers) > STREAMS
