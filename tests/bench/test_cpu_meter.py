"""The meter of the whole stack's CPU."""

from __future__ import annotations

import subprocess
import sys

import psutil

from bench.whole_stack import CpuMeter, typical

BUSY = "import time\nwhile time.process_time() < 0.2: pass\nprint(flush=True)\ninput()"


def test_what_an_ended_child_has_used_still_counts() -> None:
    meter = CpuMeter({"tests": psutil.Process()})
    began = meter.read()
    with subprocess.Popen([sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout, "it is piped"
        child.stdout.readline()
        working = meter.read() - began
        child.communicate("\n")
    assert working.cpu_s["tests"] >= 0.2
    assert (meter.read() - began).cpu_s["tests"] >= working.cpu_s["tests"]


def test_one_dear_send_in_ten_does_not_count() -> None:
    assert typical([2.0] * 4 + [4.0] * 4 + [0.0, 100.0]) == 3.0
