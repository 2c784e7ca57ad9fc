"""The goals of speed and cost, beside the measured figures (docs/performance.md). Goals of parts that were not measured are omitted."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from bench.measure import Round
from bench.plan import Results

Value = Callable[[Round], float]
FIRST_TOKEN_MS, SEND_MS = 12, 25  # goals for the CPU of a send
RELAY_FIRST_TOKEN_MS, RELAY_SEND_MS = 7.1, 13.6  # of the relay without a product beside which the goals were set
LAG = "median age in the last quarter of the time in which all stream, less the first's"


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal and its measured value."""

    name: str
    figure: float
    target: float
    means: str = ""  # how it is measured here, where the name does not say it
    at_least: bool = False
    digits: int = 1

    @property
    def is_met(self) -> bool:
        return self.figure >= self.target if self.at_least else self.figure <= self.target


def goals_of(results: Results) -> Iterator[Goal]:
    if results.whole:
        yield from _whole_stack(results)
        return
    yield from _first_tokens(results)
    yield from _streams(results)
    yield from _full_speed(results)
    yield from _sends(results)
    yield from _memory(results)
    yield from _growth(results)
    yield from _two_processes(results)


def _first_tokens(results: Results) -> Iterator[Goal]:
    for chats, percent, limit_ms in ((1, 50, 8), (10, 95, 23), (100, 95, 50)):
        if chats in _paced_chats(results):
            gap = first_token_over(results, chats, "http")[percent == 95]
            means = "the percentile of Parley's sends less http's of the same round" + (
                ", all started within a second" if chats > 1 else ""
            )
            yield Goal(f"first token over direct, p{percent}, {chats} chats, ms", gap, limit_ms, means)


def _whole_stack(results: Results) -> Iterator[Goal]:
    """Yield the goals for a small machine: everything of Parley on one core."""
    if send := results.whole_send:
        existing = send.existing.parley
        means = "of all processes, of a send into an existing conversation"
        yield Goal("CPU before the first token, ms", existing.total_before_first_token_ms, FIRST_TOKEN_MS, means)
        yield Goal("CPU of a whole short send, ms", existing.total_ms, SEND_MS, means)
        means = "a goal in ms, over what the relay took beside which the goals were set"
        times = round(FIRST_TOKEN_MS / RELAY_FIRST_TOKEN_MS, 2)
        yield Goal(
            "the same over the lean relay, before the first token, times", send.existing.times_before_first_token, times, means, digits=2
        )
        yield Goal(
            "the same over the lean relay, in all, times", send.existing.times_in_all, round(SEND_MS / RELAY_SEND_MS, 2), means, digits=2
        )
        more = existing.total_before_first_token_ms / send.new.total_before_first_token_ms
        yield Goal("a send into an existing conversation over one into a new one, times", more, 1, "CPU before the first token", digits=2)
        yield Goal("idle memory of all processes, MB", results.idle_mb, 400, "proportional set size", digits=0)
    for chats, percent, limit_ms in ((1, 50, 15), (50, 95, 60), (100, 95, 300)):
        if chats in _paced_chats(results):
            gap = first_token_over(results, chats, "http")[percent == 95]
            yield Goal(f"first token over direct, p{percent}, {chats} chats, ms", gap, limit_ms)
    for chats, limit_ms, value in ((100, 15, _age_p95_ms), (200, 25, _age_together_p95_ms)):
        if chats in _paced_chats(results):
            age = median_of(results, "paced", chats, "parley", value)
            yield Goal(f"age of a token, p95, {chats} chats, ms", age, limit_ms, "200: while all stream, started at 20 a second")
    if 200 in _paced_chats(results):
        cpu = median_of(results, "paced", 200, "parley", whole_cpu_s_per_1000)
        yield Goal("CPU seconds of all processes per 1,000 tokens, 200 chats", cpu, 0.12, "while all stream", digits=3)


def _age_p95_ms(measurement: Round) -> float:
    return measurement.relay_p95_ms


def _age_together_p95_ms(measurement: Round) -> float:
    return measurement.together_p95_ms


def whole_cpu_s_per_1000(measurement: Round) -> float:
    return (measurement.web_cpu + measurement.valkey_cpu + measurement.postgres_cpu) / measurement.tokens_per_s * 1000


def _streams(results: Results) -> Iterator[Goal]:
    if 50 in _paced_chats(results):
        age = median_of(results, "paced", 50, "parley", lambda measurement: measurement.relay_p95_ms)
        yield Goal("age of a token, p95, 50 chats, ms", age, 5, "all tokens of a round, those while chats start too")
    if 200 in _paced_chats(results):
        age = median_of(results, "paced", 200, "parley", lambda measurement: measurement.together_p95_ms)
        yield Goal("age of a token, p95, 200 chats, ms", age, 25, "while all stream; they start at 20 a second")
    for chats in sorted(_paced_chats(results) - {1}):
        growth = median_of(results, "paced", chats, "parley", lambda measurement: measurement.lag_growth_ms)
        yield Goal(f"lag grows, {chats} chats, ms", growth, 5, LAG)
    if many := max(_paced_chats(results) - {1}, default=0):
        cpu = median_of(results, "paced", many, "parley", lambda measurement: measurement.web_cpu_s_per_1000)
        yield Goal(f"CPU seconds per 1,000 tokens, {many} chats", cpu, 0.09, "of the web process while all stream", digits=3)
    if ours := [measurement for measurement in results.rounds if measurement.system == "parley"]:
        yield Goal(
            "errors of Parley",
            sum(len(measurement.errors) for measurement in ours),
            0,
            "sends refused or broken off, in all rounds",
            digits=0,
        )


def _full_speed(results: Results) -> Iterator[Goal]:
    for chats in chats_of(results, "full speed"):
        rate = median_of(results, "full speed", chats, "parley", _rate)
        means = "as fast as it is read, to the last answer's end; all answers begin when every chat has asked"
        yield Goal(f"tokens/s at full speed, {chats} chats", rate, 25_000, means, at_least=True, digits=0)
    for chats in chats_of(results, "fast"):
        rate = median_of(results, "fast", chats, "parley", _rate)
        means = "25,000 offered: 1,250 a chat, in blocks of 16 tokens; 1 % is left to the edges of the time in which all stream"
        yield Goal(f"tokens/s of fast streams, {chats} chats", rate, 24_750, means, at_least=True, digits=0)
        growth = median_of(results, "fast", chats, "parley", lambda measurement: measurement.lag_growth_ms)
        yield Goal(f"lag grows with fast streams, {chats} chats, ms", growth, 5, LAG)


def _sends(results: Results) -> Iterator[Goal]:
    if send := results.send:
        yield Goal(
            "statements before the model answers", send.statements_before_first_token, 12, "of a send into a new conversation", digits=0
        )
        means = "the whole application without a server, all its threads"
        yield Goal("CPU of a send before its first token, ms", send.cpu_ms_before_first_token, 10, means)


def _memory(results: Results) -> Iterator[Goal]:
    if memory := results.memory:
        yield Goal("idle web process, MB", memory.idle_mb, 150, "resident after the first sign-in", digits=0)
    if chats := max(_paced_chats(results) - {1}, default=0):
        streaming_mb = median_of(results, "paced", chats, "parley", lambda measurement: measurement.web_mb)
        means = "resident when the first answer ends, less after the warm-up; what sends left behind counts too"
        yield Goal(f"MB per streaming chat, {chats} chats", (streaming_mb - results.warm_mb) / chats, 0.3, means, digits=2)
    if memory:
        yield Goal(f"{memory.sockets:,} idle sockets, MB", memory.sockets_mb, 40 * memory.sockets / 1000)
        yield Goal(f"{memory.sockets:,} idle sockets, % of a core", memory.sockets_cpu * 100, 1, "less than 1 % is taken as nothing")


def _growth(results: Results) -> Iterator[Goal]:
    if growth := results.growth:
        means = "CPU of the web process for a send and its answer of three tokens, mean"
        for name, long_ms, read in (
            ("a send", growth.send_long_ms, "whose branch the process has read before"),
            ("the first send", growth.send_long_cold_ms, "which reads the whole branch; the short one is a later send"),
        ):
            times = long_ms / growth.send_short_ms
            yield Goal(f"{name} into {growth.messages:,} messages over one into ten, times", times, 1.5, f"{means}; {read}", digits=2)
        ratio = growth.open_long.cpu_ms / growth.open_short.cpu_ms
        yield Goal(f"opening {growth.messages:,} messages over ten, times", ratio, 1.5, "CPU of the request for the first screen", digits=2)
        means = "session, user, membership and the transaction's first one included"
        yield Goal(f"opening {growth.messages:,} messages, statements", growth.open_long.statements, 4, means, digits=0)
        yield Goal(f"opening {growth.messages:,} messages, kB", growth.open_long.size_bytes / 1000, 60)
        yield Goal(f"list of {growth.conversations:,} conversations, statements", growth.list.statements, 3, means, digits=0)
        yield Goal(f"list of {growth.conversations:,} conversations, ms", growth.list.ms, 10, "the whole application without a server")
        yield Goal(f"search in {growth.conversations:,} conversations, ms", growth.search.ms, 50, "by title, the same way")


def _two_processes(results: Results) -> Iterator[Goal]:
    if two := results.two_processes:
        rate = median(two.full_two, _rate) / median(two.full_one, _rate)
        yield Goal("two web processes over one, times", rate, 1.7, "full speed; two cores for them and all else", at_least=True, digits=2)
        efficiency = median(two.paced_two, tokens_per_web_cpu_s) / median(two.paced_one, tokens_per_web_cpu_s)
        means = (
            "paced, twice the chats; 1: each holds as much as one alone, so they scale with the cores; 0.85 is 1.7 times on twice the cores"
        )
        yield Goal("tokens per CPU second of two web processes over one's, times", efficiency, 0.85, means, at_least=True, digits=2)


def tokens_per_web_cpu_s(measurement: Round) -> float:
    return measurement.tokens_per_s / measurement.web_cpu


def first_token_over(results: Results, chats: int, direct: str) -> tuple[float, float]:
    """Return p50 and p95 in milliseconds: Parley minus the direct call of the same round, medians of the rounds."""
    pairs = list(zip(rounds_of(results, "paced", chats, "parley"), rounds_of(results, "paced", chats, direct), strict=True))
    return (
        statistics.median(ours.first_token_p50_ms - theirs.first_token_p50_ms for ours, theirs in pairs),
        statistics.median(ours.first_token_p95_ms - theirs.first_token_p95_ms for ours, theirs in pairs),
    )


def median_of(results: Results, kind: str, chats: int, system: str, value: Value) -> float:
    return median(rounds_of(results, kind, chats, system), value)


def rounds_of(results: Results, kind: str, chats: int, system: str) -> Sequence[Round]:
    return [
        measurement for measurement in results.rounds if (measurement.kind, measurement.chats, measurement.system) == (kind, chats, system)
    ]


def chats_of(results: Results, kind: str) -> Sequence[int]:
    return sorted({measurement.chats for measurement in results.rounds if measurement.kind == kind})


def _paced_chats(results: Results) -> set[int]:
    return set(chats_of(results, "paced"))


def _rate(measurement: Round) -> float:
    return measurement.tokens_per_s


def median(rounds: Iterable[Round], value: Value) -> float:
    return statistics.median(map(value, rounds))
