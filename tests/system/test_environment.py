"""A process whose environment is wrong ends at once and names the variable."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tools.embedded.layout import ROOT

PROCESSES = {
    "web": ["uvicorn", "--port", "0", "config.asgi:application"],
    "worker": ["celery", "-A", "config", "worker", "-P", "threads"],
    "beat": ["celery", "-A", "config", "beat"],
}


@pytest.mark.parametrize("process", PROCESSES)
def test_a_missing_and_a_wrong_variable_are_named(process: str) -> None:
    env = {**os.environ, "CREDENTIAL_KEYS": "", "REDIS_URL": "localhost:6379"}
    result = subprocess.run([sys.executable, "-m", *PROCESSES[process]], cwd=ROOT, env=env, capture_output=True, text=True, timeout=150)
    assert result.returncode != 0
    assert "CREDENTIAL_KEYS is not set." in result.stderr
    assert "REDIS_URL must read redis://" in result.stderr
    assert "localhost:6379" not in result.stderr
