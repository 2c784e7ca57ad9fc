"""The goals of PERFORMANCE.md, each beside what was found; those of parts that were not measured are left out."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.measure import Round
from bench.plan import Results

Value = Callable[[Round], float]


@dataclass(frozen=True, slots=True)
class Goal:
    name: str
    found: float
    wanted: float
    at_least: bool = False
    digits: int = 1

    @property
    def is_met(self) -> bool:
        return self.found >= self.wanted if self.at_least else self.found <= self.wanted


def goals_of(results: Results) -> Iterator[Goal]:
    yield from _stream_goals(results)
    if send := results.send:
        yield Goal("statements before the model answers", send.statements_before_first_token, 12, digits=0)
        yield Goal("CPU of a send before its first token, ms", send.cpu_ms_before_first_token, 10)
    if memory := results.memory:
        yield Goal("idle web process, MB", memory.idle_mb, 150, digits=0)
        yield Goal(f"{memory.sockets:,} idle sockets, MB", memory.sockets_mb, 40 * memory.sockets / 1000)
        yield Goal(f"{memory.sockets:,} idle sockets, % of a core", memory.sockets_cpu * 100, 1)
    if grown := results.growth:
        yield Goal(
            f"a send into {grown.messages:,} messages over one into ten, times", grown.send_long_ms / grown.send_short_ms, 1.5, digits=2
        )
        yield Goal(f"opening {grown.messages:,} messages over ten, times", grown.open_long.cpu_ms / grown.open_short.cpu_ms, 1.5, digits=2)
        yield Goal(f"opening {grown.messages:,} messages, statements", grown.open_long.statements, 4, digits=0)
        yield Goal(f"opening {grown.messages:,} messages, kB", grown.open_long.size_bytes / 1000, 60)
        yield Goal(f"list of {grown.conversations:,} conversations, statements", grown.list.statements, 3, digits=0)
        yield Goal(f"list of {grown.conversations:,} conversations, ms", grown.list.ms, 10)
        yield Goal(f"search in {grown.conversations:,} conversations, ms", grown.search.ms, 50)
    if two := results.two_processes:
        yield Goal("two web processes over one, times", two.two / two.one, 1.7, at_least=True, digits=2)


def _stream_goals(results: Results) -> Iterator[Goal]:
    paced = {found.chats for found in results.rounds if found.kind == "paced"}
    for chats, percent, limit_ms in ((1, 50, 8), (10, 95, 23), (100, 95, 50)):
        if chats in paced:
            gap = first_token_over(results, chats, "http")[percent == 95]
            yield Goal(f"first token over direct, p{percent}, {chats} chats, ms", gap, limit_ms)
    for chats, limit_ms in ((50, 5), (200, 25)):
        if chats in paced:
            age = median_of(results, "paced", chats, "parley", lambda found: found.relay_p95_ms)
            yield Goal(f"age of a token, p95, {chats} chats, ms", age, limit_ms)
    if paced - {1}:
        cpu = median_of(results, "paced", max(paced), "parley", lambda found: found.web_cpu_s_per_1000)
        yield Goal(f"CPU seconds per 1,000 tokens, {max(paced)} paced chats", cpu, 0.09, digits=3)
    for chats in sorted({found.chats for found in results.rounds if found.kind == "full speed"}):
        rate = median_of(results, "full speed", chats, "parley", lambda found: found.tokens_per_s)
        yield Goal(f"tokens/s at full speed, {chats} chats", rate, 25_000, at_least=True, digits=0)


def first_token_over(results: Results, chats: int, direct: str) -> tuple[float, float]:
    """p50 and p95 in milliseconds: Parley minus the direct call of the same round, medians of the rounds."""
    pairs = list(zip(rounds_of(results, "paced", chats, "parley"), rounds_of(results, "paced", chats, direct), strict=True))
    return (
        statistics.median(ours.first_token_p50_ms - theirs.first_token_p50_ms for ours, theirs in pairs),
        statistics.median(ours.first_token_p95_ms - theirs.first_token_p95_ms for ours, theirs in pairs),
    )


def median_of(results: Results, kind: str, chats: int, system: str, value: Value) -> float:
    return statistics.median(value(found) for found in rounds_of(results, kind, chats, system))


def rounds_of(results: Results, kind: str, chats: int, system: str) -> Sequence[Round]:
    return [found for found in results.rounds if (found.kind, found.chats, found.system) == (kind, chats, system)]
