"""What a run makes of tests that pass when they are tried again alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Of a test run that this one is no part of.
TESTS = """
from pathlib import Path

import pytest

@pytest.mark.parametrize("number", range({flaky}))
def test_fails_once(number):
    failed = Path(f"failed-{{number}}")
    if not failed.exists():
        failed.touch()
        print(f"what {{number}} printed")
        raise AssertionError(f"the {{number}} that failed")

@pytest.mark.parametrize("number", range({broken}))
def test_fails_always(number):
    raise AssertionError
"""


def run(folder: Path, **tests: int) -> tuple[int, list[str]]:
    """The exit status, and the lines that were printed."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_it.py").write_text(TESTS.format(**tests))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.support.suite.flaky"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    result = subprocess.run(
        command,
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    return result.returncode, result.stdout.splitlines()


def flaky_of(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("FLAKY ")]


def test_two_are_named_and_tolerated(tmp_path: Path) -> None:
    status, lines = run(tmp_path, flaky=2, broken=0)
    assert status == pytest.ExitCode.OK, lines
    assert flaky_of(lines) == [f"FLAKY test_it.py::test_fails_once[{number}]" for number in range(2)]
    assert any("the 1 that failed" in line for line in lines)
    assert "what 1 printed" in lines
    assert "2 flaky" in lines[-1]
    assert "failed" not in lines[-1]


@pytest.mark.parametrize(
    ("flaky", "failure_count", "summary"), [(3, 0, "3 flaky"), (1, 1, "1 failed")], ids=["three", "one beside a failure"]
)
def test_more_of_them_or_a_failure_fail_the_run(tmp_path: Path, flaky: int, failure_count: int, summary: str) -> None:
    status, lines = run(tmp_path, flaky=flaky, broken=failure_count)
    assert status == pytest.ExitCode.TESTS_FAILED, lines
    assert len(flaky_of(lines)) == flaky
    assert summary in lines[-1]
