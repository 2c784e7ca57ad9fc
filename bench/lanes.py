"""How long one organization's jobs take beside thousands of another's: `python -m bench.lanes --jobs 10000`.

One worker as `make run` starts it. The jobs only wait, as those that ask a model do. The goal: the p95 is at most 1.2 times what it is alone.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from typing import Any

from bench.stack.processes import BenchStack, running_stack
from config.processes import worker_arguments
from tools.embedded.layout import ROOT

GOAL = 1.2
START_S = 15.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.lanes", description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000, help="of the busy organization; default: %(default)s")
    parser.add_argument("--probes", type=int, default=150, help="jobs of the other one, before and beside them; default: %(default)s")
    parser.add_argument("--work", type=float, default=0.5, help="seconds of each job; default: %(default)s")
    options = parser.parse_args()
    with running_stack(members=1, pinned=False) as stack:
        figures = measure(stack, options.probes, options.jobs, options.work)
    alone, beside = (p95(figures[name]) for name in ("alone", "beside"))
    print(f"alone: p95 {alone:.3f} s; beside {figures['waiting']} waiting jobs of another organization: p95 {beside:.3f} s")
    print(f"that is {beside / alone:.2f} times (goal: at most {GOAL}); {figures['left']} of them were left at the end")
    return 0 if beside <= GOAL * alone else 1


def measure(stack: BenchStack, probes: int, jobs: int, work_s: float) -> dict[str, Any]:
    arguments = ["bench.lane_jobs" if argument == "config" else argument for argument in worker_arguments()]
    worker = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=stack.env, stderr=subprocess.DEVNULL)
    try:
        time.sleep(START_S)
        return dict(json.loads(stack.run_module("bench.lane_jobs", str(probes), str(jobs), str(work_s))))
    finally:
        worker.terminate()
        worker.wait(90)


def p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]


if __name__ == "__main__":
    sys.exit(main())
