"""Results as tables for people, and as JSON for comparisons."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from itertools import product
from pathlib import Path

import orjson

from bench.goals import Value, chats_of, first_token_over, goals_of, median, median_of, rounds_of, tokens_per_web_cpu_s
from bench.measure import Round
from bench.plan import Results
from bench.whole_stack import TURN_SENDS, SendCpu, Turn, WholeSend

BUSY = 0.9  # share of the other cores; above it they may limit the measurement
MAX_IDLE_ERROR_MS = 0.5  # of CPU for a send; below minus that, the idle use was measured in a time that was not idle
SYSTEMS = ("http", "relay", "sdk", "parley")
CORES: Mapping[str, Value] = {
    "web": lambda measurement: measurement.web_cpu,
    "client": lambda measurement: measurement.client_cpu,
    "double": lambda measurement: measurement.double_cpu,
    "Valkey": lambda measurement: measurement.valkey_cpu,
    "PostgreSQL": lambda measurement: measurement.postgres_cpu,
}


def save(results: Results, path: Path) -> None:
    path.write_bytes(orjson.dumps(asdict(results), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def format_results(results: Results) -> str:
    before, after = results.load_average
    head = f"{results.machine}, {results.cores}; load average {before:.1f} before, {after:.1f} after"
    return "\n".join(
        [
            head,
            *_paced_table(results),
            *_full_speed(results),
            *_cores(results),
            *_costs(results),
            *_two(results),
            *_goals(results),
            *_notes(results),
        ]
    )


def _goals(results: Results) -> Iterator[str]:
    yield "\nThe goals (bench/goals.py), as far as they were measured now"
    for goal in goals_of(results):
        verdict, target = "met    " if goal.is_met else "not met", f"{'at least' if goal.at_least else 'at most'} {goal.target:,g}"
        yield f"  {verdict}  {goal.name}: {goal.figure:,.{goal.digits}f} ({target})" + (f" [{goal.means}]" if goal.means else "")


def _paced_table(results: Results) -> Iterator[str]:
    if not chats_of(results, "paced"):
        return
    yield "\nPaced stream: medians of the rounds; ms as p50 / p95, over = Parley minus the direct call of the same round"
    yield _row(
        "chats",
        *(f"{name} first" for name in SYSTEMS),
        "over http",
        "over relay",
        *(f"{name} age" for name in SYSTEMS),
        "of it, all stream",
        "CPU s/1000",
    )
    for chats in chats_of(results, "paced"):
        yield _row(
            str(chats),
            *(_pair(results, "paced", chats, system, _first) for system in SYSTEMS),
            *(_over(results, chats, system) for system in ("http", "relay")),
            *(_pair(results, "paced", chats, system, _relay) for system in SYSTEMS),
            _pair(results, "paced", chats, "parley", _together),
            f"{median_of(results, 'paced', chats, 'parley', lambda measurement: measurement.web_cpu_s_per_1000):.3f}" if chats > 1 else "-",
        )


def _full_speed(results: Results) -> Iterator[str]:
    if not (loads := [(kind, chats) for kind in ("full speed", "fast") for chats in chats_of(results, kind)]):
        return
    yield "\nTokens/s at full speed, and of fast streams (25,000 offered, in blocks); CPU seconds of the web process per 1,000 tokens; its cores"
    yield _row("chats", "", *SYSTEMS, "of http", "of relay", "CPU s/1000", "web cores", "age ms", width=15)
    for kind, chats in loads:
        rate = {
            s: median_of(results, kind, chats, s, lambda measurement: measurement.tokens_per_s)
            for s in SYSTEMS
            if rounds_of(results, kind, chats, s)
        }
        cpu = median_of(results, kind, chats, "parley", lambda measurement: measurement.web_cpu_s_per_1000)
        cores = median_of(results, kind, chats, "parley", lambda measurement: measurement.web_cpu)
        shares = (f"{rate['parley'] / rate[system]:.0%}" for system in ("http", "relay"))
        age = _pair(results, kind, chats, "parley", _relay)
        yield _row(
            str(chats),
            kind,
            *(f"{rate[s]:,.0f}" if s in rate else "-" for s in SYSTEMS),
            *shares,
            f"{cpu:.3f}",
            f"{cores:.2f}",
            age,
            width=15,
        )


def _costs(results: Results) -> Iterator[str]:
    if whole := results.whole_send:
        yield f"\nOne send, answered with three tokens; ms of CPU, mean of {whole.sends} (new: half as many) without the dearest and the cheapest tenth, less the idle use"
        yield f"  into a new conversation: {_send_cpu(whole.new)}"
        yield f"  into an existing one: {_send_cpu(whole.existing.parley)}"
        yield f"  the same through the lean relay, in turns: {_send_cpu(whole.existing.lean_relay)}"
        before = _times(whole, lambda turn: turn.times_before_first_token)
        yield f"  Parley over the lean relay: {before} before the first token, {_times(whole, lambda turn: turn.times_in_all)} in all"
        yield f"  idle: {', '.join(f'{process} {ms:.1f}' for process, ms in whole.idle_ms_per_s.items())} ms a second"
        yield f"  memory of all processes: {results.idle_mb:.0f} MB before the first chat, {whole.warm_mb:.0f} MB right after ten"
    if send := results.send:
        yield "\nOne send into a new conversation, answered with three tokens"
        yield f"  {send.cpu_ms:.1f} ms of CPU in the web process, to the end of the run"
        yield f"  {send.cpu_ms_before_first_token:.1f} ms of CPU before the first token, counted without a server"
        yield f"  {send.statements_before_first_token:.0f} SQL statements in {send.transactions_before_first_token:.0f} transactions before the model answers"
        yield f"  {send.statements:.0f} SQL statements in {send.transactions:.0f} transactions to the end of the run"
    if memory := results.memory:
        yield "\nMemory of the web process (resident)"
        yield f"  {memory.idle_mb:.0f} MB idle, {memory.after_mb:.0f} MB after all rounds"
        yield f"  {memory.sockets} idle sockets: {memory.sockets_mb:.1f} MB more, {memory.sockets_cpu:.1%} of a core"
    if growth := results.growth:
        yield f"\nGrowth: {growth.messages:,} messages against ten, {growth.conversations:,} conversations; inside the application"
        yield f"  a send: {growth.send_long_ms:.1f} against {growth.send_short_ms:.1f} ms of CPU; the first into the long one {growth.send_long_cold_ms:.0f}"
        for name, page in (
            ("opening", growth.open_long),
            ("opening ten", growth.open_short),
            ("list", growth.list),
            ("search", growth.search),
        ):
            yield f"  {name}: {page.ms:.1f} ms ({page.cpu_ms:.1f} of CPU), {page.statements:.0f} statements, {page.size_bytes / 1000:.1f} kB"


def _send_cpu(cpu: SendCpu) -> str:
    shares = (f"{process} {ms:.1f} / {cpu.in_all_ms[process]:.1f}" for process, ms in cpu.before_first_token_ms.items())
    return f"{cpu.total_before_first_token_ms:.1f} before the first token, {cpu.total_ms:.1f} in all ({', '.join(shares)})"


def _times(whole: WholeSend, ratio: Callable[[Turn], float]) -> str:
    """Return the ratio of all sends, and the turns with the lowest and the highest one, which show the noise."""
    turns = [ratio(turn) for turn in whole.turns]
    return f"{ratio(whole.existing):.2f} times ({min(turns):.2f} to {max(turns):.2f} in turns of {TURN_SENDS} sends)"


def _cores(results: Results) -> Iterator[str]:
    """Show which process was the limit."""
    if not results.rounds:
        return
    yield "\nCores used (web: the relay, in its rounds) while all chats stream; at full speed from the first token to the last end"
    yield _row("chats", "", "system", *CORES, "all but web", width=13)
    for kind, system in product(("paced", "full speed", "fast"), ("http", "relay", "parley")):
        for chats in chats_of(results, kind):
            medians = [median_of(results, kind, chats, system, value) for value in (*CORES.values(), _others)]
            yield _row(str(chats), kind, system, *(f"{cores:.2f}" for cores in medians), width=13)


def _two(results: Results) -> Iterator[str]:
    if not (two := results.two_processes):
        return
    yield "\nTwo web processes, the second on the core of everything else"
    rounds = {"paced, one": two.paced_one, "paced, two": two.paced_two, "full speed, one": two.full_one, "full speed, two": two.full_two}
    for name, measurements in rounds.items():
        rate, per_cpu_s = median(measurements, lambda one: one.tokens_per_s), median(measurements, tokens_per_web_cpu_s)
        cores = ", ".join(f"{process} {median(measurements, value):.2f}" for process, value in CORES.items())
        age_ms = median(measurements, lambda one: one.relay_p95_ms)
        yield f"  {name}: {measurements[0].chats} chats, {rate:,.0f} tokens/s, {per_cpu_s:,.0f} for a CPU second of web; age p95 {age_ms:.1f} ms; cores: {cores}"
    room = median(two.full_one, possible_ratio)
    yield f"  At full speed everything else needs its part of the two cores for each token: they have room for {room:.2f} times the tokens of one"


def possible_ratio(one: Round) -> float:
    """Return how many times the tokens of one web process fit on two cores, if everything else needs its share of them per token."""
    return 2 * one.web_cpu / (one.web_cpu + one.others_cpu)


def _notes(results: Results) -> Iterator[str]:
    if whole := results.whole_send:
        for cpu in (whole.new, whole.existing.parley, whole.existing.lean_relay):
            if below := [process for process, ms in cpu.in_all_ms.items() if ms < -MAX_IDLE_ERROR_MS]:
                yield f"Note: {' and '.join(below)} used more when idle than in sends: other work fell into that time. Measure again."
    for measurement in results.rounds:
        if measurement.errors:
            yield f"Note: {_name(measurement)}: {len(measurement.errors)} errors, the first: {measurement.errors[0]}"
        if (
            measurement.system in ("relay", "parley") and _others(measurement) > BUSY * results.other_cores
        ):  # the other systems are clients themselves
            yield f"Note: {_name(measurement)}: all but the system used {_others(measurement):.2f} cores; that may be the limit."


def _name(measurement: Round) -> str:
    return f"{measurement.system}, {measurement.kind}, {measurement.chats} chats"


def _others(measurement: Round) -> float:
    return measurement.others_cpu


def _first(measurement: Round) -> tuple[float, float]:
    return measurement.first_token_p50_ms, measurement.first_token_p95_ms


def _relay(measurement: Round) -> tuple[float, float]:
    return measurement.relay_p50_ms, measurement.relay_p95_ms


def _together(measurement: Round) -> tuple[float, float]:
    return measurement.together_p50_ms, measurement.together_p95_ms


def _pair(results: Results, kind: str, chats: int, system: str, value: Callable[[Round], tuple[float, float]]) -> str:
    pairs = [value(measurement) for measurement in rounds_of(results, kind, chats, system)]
    if not pairs:
        return "-"
    return " / ".join(f"{statistics.median(column):.1f}" for column in zip(*pairs, strict=True))


def _over(results: Results, chats: int, direct: str) -> str:
    return " / ".join(f"{gap:.1f}" for gap in first_token_over(results, chats, direct))


def _row(first: str, *cells: str, width: int = 18) -> str:
    return f"{first:>5}" + "".join(f"{cell:>{width}}" for cell in cells)
