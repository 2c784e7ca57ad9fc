"""pytest plugin (`-p tests.support.flaky`): a failed test is run once more alone, after all others.

When it then passes, the run says FLAKY with its name, and fails only if there are more than two of them.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest
from _pytest.terminal import TerminalReporter

TOLERATED = 2
MOST = 10  # failures that are tried again; so many have a cause that trying does not show
TIMEOUT_S = 300
CATEGORY = "flaky"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """After xdist has sent its workers home, before the summary."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus != pytest.ExitCode.TESTS_FAILED or hasattr(session.config, "workerinput") or not isinstance(reporter, TerminalReporter):
        return
    failed = {report.nodeid for category in ("failed", "error") for report in reporter.stats.get(category, [])}
    if len(failed) > MOST:
        return
    for nodeid in sorted(failed):
        if passes_alone(nodeid, ["--fast"] if session.config.getoption("fast", False) else []):
            call_flaky(reporter, nodeid)
    if not any(reporter.stats.get(category) for category in ("failed", "error")) and len(reporter.stats[CATEGORY]) <= TOLERATED:
        session.exitstatus = pytest.ExitCode.OK


def passes_alone(nodeid: str, options: list[str]) -> bool:
    """In a process of its own, on the servers of this run."""
    command = [sys.executable, "-m", "pytest", *options, nodeid]
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S).returncode == 0
    except subprocess.TimeoutExpired:
        return False


@dataclass
class Flaky:
    """`told`: what its failure said."""

    nodeid: str
    told: str
    count_towards_summary: bool = True


def call_flaky(reporter: TerminalReporter, nodeid: str) -> None:
    """Take the test's failures out of the summary and put one flaky test in."""
    told = []
    for category in ("failed", "error"):
        reports = reporter.stats.get(category, [])
        told += [report.longreprtext for report in reports if report.nodeid == nodeid]
        if kept := [report for report in reports if report.nodeid != nodeid]:
            reporter.stats[category] = kept
        else:
            reporter.stats.pop(category, None)
    reporter.stats.setdefault(CATEGORY, []).append(Flaky(nodeid, "\n".join(told)))
    reporter._set_main_color()  # it remembers the categories of before


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    found: list[Flaky] = terminalreporter.stats.get(CATEGORY, [])
    for flaky in found:
        terminalreporter.section(f"failed once: {flaky.nodeid}")
        terminalreporter.write_line(flaky.told)
    for flaky in found:
        terminalreporter.write_line(f"FLAKY {flaky.nodeid}", yellow=True, bold=True)
    if len(found) > TOLERATED:
        terminalreporter.write_line(f"More than {TOLERATED} flaky tests: the run fails.", red=True)
