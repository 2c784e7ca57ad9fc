"""pytest plugin (`-p tests.support.suite.flaky`): a failed test is run once more alone, after all others.

When it then passes, the run says FLAKY with its name, and fails only if there are more than two of them.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest
from _pytest.terminal import TerminalReporter

MAX_FLAKY = 2
MAX_RETRIED = 10  # with more failures there is a common cause, which trying again does not show
TIMEOUT_S = 900
MAX_CAPTURED_CHARS = 20_000  # of each section of a failed test: the last ones, where its cause is
CATEGORY = "flaky"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """After xdist has sent its workers home, before the summary."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus != pytest.ExitCode.TESTS_FAILED or hasattr(session.config, "workerinput") or not isinstance(reporter, TerminalReporter):
        return
    failed_ids = {report.nodeid for category in ("failed", "error") for report in reporter.stats.get(category, [])}
    if len(failed_ids) > MAX_RETRIED:
        return
    for nodeid in sorted(failed_ids):
        if passes_alone(nodeid, ["--fast"] if session.config.getoption("fast", False) else []):
            call_flaky(reporter, nodeid)
    if not any(reporter.stats.get(category) for category in ("failed", "error")) and len(reporter.stats[CATEGORY]) <= MAX_FLAKY:
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
    """One test that failed and then passed alone."""

    nodeid: str
    failures: str
    count_towards_summary: bool = True


def call_flaky(reporter: TerminalReporter, nodeid: str) -> None:
    """Take the test's failures out of the summary and put one flaky test in."""
    failures = []
    for category in ("failed", "error"):
        reports = reporter.stats.get(category, [])
        for report in [report for report in reports if report.nodeid == nodeid]:
            failures.append(report.longreprtext)
            failures += [f"--- {title}\n{text[-MAX_CAPTURED_CHARS:]}" for title, text in report.sections]
        if other_reports := [report for report in reports if report.nodeid != nodeid]:
            reporter.stats[category] = other_reports
        else:
            reporter.stats.pop(category, None)
    reporter.stats.setdefault(CATEGORY, []).append(Flaky(nodeid, "\n".join(failures)))
    reporter._set_main_color()  # it remembers the categories of before


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    flaky_tests: list[Flaky] = terminalreporter.stats.get(CATEGORY, [])
    for flaky in flaky_tests:
        terminalreporter.section(f"failed once: {flaky.nodeid}")
        terminalreporter.write_line(flaky.failures)
    for flaky in flaky_tests:
        terminalreporter.write_line(f"FLAKY {flaky.nodeid}", yellow=True, bold=True)
    if len(flaky_tests) > MAX_FLAKY:
        terminalreporter.write_line(f"More than {MAX_FLAKY} flaky tests: the run fails.", red=True)
