"""One viewer can't slow another organization, and a person with many tabs is no such viewer."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles

import pytest

from tests.support.accounts.cast import PASSWORD
from tests.support.system.product import Product
from tests.system.client import Member
from tools.embedded.programs import Program

ROUNDS = 5
READS = 40
SLOWER = 1.5
TABS = 10


@pytest.fixture(scope="module")
def cast(product: Product) -> tuple[Member, Member]:
    """Bob of Acme, and Charlie of another organization."""
    Program("seed-cast", ["-m", "tests.e2e.seed_cast"], product.env, product.stack.layout.logs).run()
    bob = Member(product.url, login=("bob@example.org", PASSWORD), organization="/o/acme")
    return bob, Member(product.url, login=("charlie@example.org", PASSWORD), organization="/o/other")


@contextmanager
def flood_by(attacker: Member) -> Iterator[None]:
    arguments = [attacker.url, attacker.organization.removeprefix("/o/"), attacker.cookie]
    process = subprocess.Popen([sys.executable, "-m", "tests.system.resume_flood", *arguments], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        process.kill()
        process.wait()


def p95_ms(member: Member) -> float:
    times = []
    for _ in range(READS):
        start = time.perf_counter()
        member.get("conversations/")
        times.append(time.perf_counter() - start)
    return quantiles(times, n=20)[-1] * 1000


def test_a_flood_of_resumes_does_not_slow_another_organization(cast: tuple[Member, Member]) -> None:
    bob, charlie = cast
    p95_ms(charlie)
    alone, beside = [], []
    for _ in range(ROUNDS):
        alone.append(p95_ms(charlie))
        with flood_by(bob):
            time.sleep(0.3)
            beside.append(p95_ms(charlie))
    print(f"p95 alone {[round(ms, 1) for ms in alone]} ms, beside the flood {[round(ms, 1) for ms in beside]} ms")
    assert min(beside) < SLOWER * median(alone)
