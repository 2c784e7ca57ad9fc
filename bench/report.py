"""Results as tables for a person and as JSON for a comparison."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import orjson

from bench.goals import first_token_over, goals_of, median_of, rounds_of
from bench.measure import Round
from bench.plan import Results

BUSY = 0.9  # of a core: from here on a process, not the system under test, may be the limit
SYSTEMS = ("http", "relay", "sdk", "parley")


def save(results: Results, path: Path) -> None:
    path.write_bytes(orjson.dumps(asdict(results), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def text_of(results: Results) -> str:
    before, after = results.load_average
    head = f"{results.machine}, {results.cores}; {results.server}; load average {before:.1f} before, {after:.1f} after"
    return "\n".join([head, *_paced(results), *_full_speed(results), *_costs(results), *_goals(results), *_notes(results)])


def _goals(results: Results) -> Iterator[str]:
    yield "\nThe goals of PERFORMANCE.md, as far as they were measured now"
    for goal in goals_of(results):
        yield f"  {'met    ' if goal.is_met else 'not met'}  {goal.name}: {goal.found:,.{goal.digits}f} ({'at least' if goal.at_least else 'at most'} {goal.wanted:,g})"


def _paced(results: Results) -> Iterator[str]:
    if not _loads(results, "paced"):
        return
    yield "\nPaced stream: medians of the rounds; ms as p50 / p95, over = Parley minus the direct call of the same round"
    yield _row(
        "chats", *(f"{name} first" for name in SYSTEMS), "over http", "over relay", *(f"{name} age" for name in SYSTEMS), "CPU s/1000"
    )
    for chats in _loads(results, "paced"):
        yield _row(
            str(chats),
            *(_pair(results, "paced", chats, system, _first) for system in SYSTEMS),
            *(_over(results, chats, system) for system in ("http", "relay")),
            *(_pair(results, "paced", chats, system, _relay) for system in SYSTEMS),
            f"{median_of(results, 'paced', chats, 'parley', lambda found: found.web_cpu_s_per_1000):.3f}" if chats > 1 else "-",
        )


def _full_speed(results: Results) -> Iterator[str]:
    if not _loads(results, "full speed"):
        return
    yield "\nFull speed: tokens/s, CPU seconds of the web process per 1,000 tokens, cores used by the web process"
    yield _row("chats", *SYSTEMS, "of http", "of relay", "CPU s/1000", "web cores", width=13)
    for chats in _loads(results, "full speed"):
        rate = {s: median_of(results, "full speed", chats, s, lambda found: found.tokens_per_s) for s in SYSTEMS}
        cpu = median_of(results, "full speed", chats, "parley", lambda found: found.web_cpu_s_per_1000)
        cores = median_of(results, "full speed", chats, "parley", lambda found: found.web_cpu)
        shares = (f"{rate['parley'] / rate[system]:.0%}" for system in ("http", "relay"))
        yield _row(str(chats), *(f"{value:,.0f}" for value in rate.values()), *shares, f"{cpu:.3f}", f"{cores:.2f}", width=13)


def _costs(results: Results) -> Iterator[str]:
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
    if grown := results.growth:
        yield f"\nGrowth: {grown.messages:,} messages against ten, {grown.conversations:,} conversations; inside the application"
        yield f"  a send: {grown.send_long_ms:.1f} against {grown.send_short_ms:.1f} ms of CPU"
        for name, page in (("opening", grown.open_long), ("opening ten", grown.open_short), ("list", grown.list), ("search", grown.search)):
            yield f"  {name}: {page.ms:.1f} ms ({page.cpu_ms:.1f} of CPU), {page.statements:.0f} statements, {page.size_bytes / 1000:.1f} kB"
    if two := results.two_processes:
        yield f"\nTwo web processes: {two.two:,.0f} tokens/s, one: {two.one:,.0f} ({two.two / two.one:.2f} times)"


def _notes(results: Results) -> Iterator[str]:
    for found in results.rounds:
        busy = [f"{name} {cpu:.2f}" for name, cpu in (("client", found.client_cpu), ("double", found.double_cpu)) if cpu > BUSY]
        if busy:
            yield f"Note: {found.system}, {found.kind}, {found.chats} chats: {' and '.join(busy)} cores; that may be the limit, not {found.system}."


def _first(found: Round) -> tuple[float, float]:
    return found.first_token_p50_ms, found.first_token_p95_ms


def _relay(found: Round) -> tuple[float, float]:
    return found.relay_p50_ms, found.relay_p95_ms


def _pair(results: Results, kind: str, chats: int, system: str, value: Callable[[Round], tuple[float, float]]) -> str:
    pairs = [value(found) for found in rounds_of(results, kind, chats, system)]
    if not pairs:
        return "-"
    return " / ".join(f"{statistics.median(column):.1f}" for column in zip(*pairs, strict=True))


def _over(results: Results, chats: int, direct: str) -> str:
    return " / ".join(f"{gap:.1f}" for gap in first_token_over(results, chats, direct))


def _loads(results: Results, kind: str) -> Sequence[int]:
    return sorted({found.chats for found in results.rounds if found.kind == kind})


def _row(first: str, *cells: str, width: int = 18) -> str:
    return f"{first:>5}" + "".join(f"{cell:>{width}}" for cell in cells)
