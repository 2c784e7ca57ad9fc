"""`python -m bench`: start a stack, measure it, print the tables, stop everything. See docs/performance.md."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import CalledProcessError

import uvloop
from httpx2 import HTTPError

from bench.clients import MeasureError
from bench.measure import Load
from bench.model.answer_bytes import BLOCK_TOKENS
from bench.plan import PARTS, WHOLE_PARTS, Plan, run_plan
from bench.profiling import MEMBERS, profile_web
from bench.report import format_results, save
from bench.stack.processes import running_stack
from tools.embedded.output import StartError

TOKENS_PER_S = 50
FIRST_TOKEN_S = 0.1  # the delay before a model's first token


def plan_of(arguments: argparse.Namespace) -> Plan:
    quick = arguments.quick
    chats: list[int] = arguments.chats or ([1, 10] if quick else [1, 10, 50, 100, 200])
    scale = 1 if quick else 2
    return Plan(
        rounds=arguments.rounds or (1 if quick else 3),
        paced=tuple(_paced_load(count, scale) for count in chats),
        full_speed=(Load(chats=1, tokens=2000 if quick else 10_000), Load(chats=20, tokens=2000 if quick else 10_000)),
        fast=Load(chats=20, tokens=2000 if quick else 5000, tokens_per_s=1250, first_token_s=FIRST_TOKEN_S, block=BLOCK_TOKENS),
        shared=_paced_load(10 if quick else 50, scale),
        sends=(50 if arguments.whole_stack else 10) * scale,
        sockets=100 if quick else 1000,
        parts=tuple(arguments.only or (WHOLE_PARTS if arguments.whole_stack else PARTS)),
        whole=arguments.whole_stack,
    )


def _paced_load(chats: int, scale: int) -> Load:
    """Return a paced load.

    One chat sends several short messages, since a single send says little. Many chats send one long answer each, long enough for all to
    stream at the same time.
    """
    sends, tokens = (5 * scale, 10) if chats == 1 else (1, max(100 * scale, 5 * chats))
    return Load(chats=chats, sends=sends, tokens=tokens, tokens_per_s=TOKENS_PER_S, first_token_s=FIRST_TOKEN_S)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="What Parley adds to a model's answer, measured on this machine.")
    parser.add_argument("--only", choices=PARTS, nargs="+", help="these parts only; most take a minute or two (default: all)")
    parser.add_argument("--quick", action="store_true", help="one short round of each: a glance, not a measurement")
    parser.add_argument("--rounds", type=int, help="rounds of each load (default: 3, quick 1)")
    parser.add_argument("--chats", type=int, nargs="+", help="numbers of chats of the paced loads (default: 1 10 50 100 200, quick 1 10)")
    parser.add_argument("--unpinned", action="store_true", help="give the web process no core of its own")
    parser.add_argument(
        "--whole-stack",
        action="store_true",
        help="all of Parley on one core (web, PostgreSQL, Valkey, worker, beat), as on a small machine",
    )
    parser.add_argument("--profile", type=Path, help="sample the web process with py-spy instead, and keep its stacks beside this file")
    parser.add_argument("--json", type=Path, help="write everything that was measured to this file")
    return parser.parse_args(arguments)


def main() -> int:
    arguments = parse_arguments(sys.argv[1:])
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, signal.default_int_handler)
    try:
        if arguments.profile:
            _profile(arguments.profile, pinned=not arguments.unpinned)
        else:
            _measure(plan_of(arguments), arguments.json, pinned=not arguments.unpinned)
    except (StartError, MeasureError, TimeoutError, HTTPError, OSError, CalledProcessError) as error:
        print(f"bench: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    return 0


def _profile(out: Path, *, pinned: bool) -> None:
    with running_stack(members=MEMBERS, pinned=pinned) as stack:
        print(uvloop.run(profile_web(stack, out)))


def _measure(plan: Plan, json: Path | None, *, pinned: bool) -> None:
    print("Starting PostgreSQL, Valkey, the double and Parley in a temporary directory ...", flush=True)
    with running_stack(members=plan.members, pinned=pinned, whole=plan.whole) as stack:
        results = uvloop.run(run_plan(plan, stack))
    print(format_results(results))
    if json:
        save(results, json)


if __name__ == "__main__":
    sys.exit(main())
