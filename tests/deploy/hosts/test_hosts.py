"""Web processes, workers and stores on hosts of their own: each host is cut off for half a minute under streams, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.embedded.layout import ROOT

STREAMS = 12
CUT_S = 30


def test_a_host_that_is_cut_off_costs_nobody_anything(tmp_path: Path) -> None:
    """In a process of its own: a test may connect to this machine alone."""
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)  # PostgreSQL is another user
    options = ["--streams", str(STREAMS), "--cut-s", str(CUT_S), "--folder", str(tmp_path)]
    command = [sys.executable, "-m", "tests.deploy.hosts.hosts_trial", *options]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1200)
    print(result.stdout)
    figures = {line["host"]: line for line in map(json.loads, filter(lambda text: text.startswith("{"), result.stdout.splitlines()))}
    if figures.keys() != {"files", "web", "worker", "stores"}:
        pytest.fail(result.stderr[-4000:])
    assert [problem for line in figures.values() for problem in line["problems"]] == []
    assert figures["web"]["takeovers"]
    assert figures["worker"]["takeovers"]
    assert figures["stores"]["asked_again"] == 0  # owners wait for their stores
    assert all(figures[host]["answers"] > STREAMS for host in ("web", "worker", "stores"))
