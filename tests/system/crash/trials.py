"""kill -9 at each named point of a step, again and again: `python -m tests.system.crash.trials --trials N --seed S`.

Each trial asks a question whose answer needs tools, kills the process that owns the run at a point that the seed chooses, lets another
process take the run over, kills that one too now and then, and looks for anything that is missing, doubled or untrue. Unlike
tests.system.kill_trials it starts no web process and no worker: owners are forks, and a dead owner's lease ends at once.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import django
from django.conf import settings

from tests.system.trial_servers import trial_servers


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.crash.trials", description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    with ExitStack() as stack:
        stack.enter_context(trial_servers())
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        # As in pytest: tests write as the owner.
        settings.DATABASE_ROUTERS = ["tests.support.stores.logins.FromTests", *settings.DATABASE_ROUTERS]
        return int(not trials(options.trials, options.seed, Path(stack.enter_context(TemporaryDirectory()))))


def trials(count: int, seed: int, directory: Path) -> bool:
    """Run them and print what was wrong; whether all went well."""
    from tests.system.crash.environment import trial_environment
    from tests.system.crash_plans import Plan

    rng, start = random.Random(seed), time.monotonic()
    deaths: Counter[str] = Counter()
    failures = 0
    with trial_environment(directory) as site:
        for number in range(count):
            outcome = site.trial(Plan.by(rng, number))
            deaths.update(outcome.died_at)
            if outcome.problems:
                failures += 1
                print(outcome.plan, *outcome.problems, sep="\n  ", flush=True)
    for point, times in deaths.most_common():
        print(f"{times:5} died {point}")
    print(f"seed {seed}: {count} trials, {deaths.total()} deaths, {failures} trials with problems, {time.monotonic() - start:.0f} s")
    return not failures


if __name__ == "__main__":
    sys.exit(main())
