from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from config.env import BASE_DIR

FAILS = """
import logging.config, structlog
from config.settings.logging import LOGGING
logging.config.dictConfig(LOGGING)

def answer(message):
    raise ValueError(" ".join(["no", "answer"]))

try:
    answer("".join(["written", "by", "Bob"]))
except ValueError:
    structlog.get_logger("own").exception("run_failed", run_id="r1")
    logging.getLogger("library").exception("foreign")
"""


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_a_traceback_shows_the_lines_but_not_their_variables(log_format: str) -> None:
    environ = {**os.environ, "LOG_FORMAT": log_format}
    logged = subprocess.run([sys.executable, "-c", FAILS], cwd=BASE_DIR, env=environ, capture_output=True, text=True, check=True).stderr
    assert logged.count("no answer") == 2
    assert "run_failed" in logged
    assert "foreign" in logged
    assert "answer" in logged
    assert "writtenbyBob" not in logged
    if log_format == "json":
        lines = [json.loads(line) for line in logged.splitlines()]
        assert [line["exception"][0]["exc_type"] for line in lines] == ["ValueError", "ValueError"]


def test_a_process_that_cannot_start_says_so_in_one_object() -> None:
    environ = {"LOG_FORMAT": "json", "PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "config.settings"}
    ended = subprocess.run([sys.executable, "-c", "import config.settings"], cwd=BASE_DIR, env=environ, capture_output=True, text=True)
    [line] = [json.loads(text) for text in ended.stderr.splitlines()]
    assert (line["event"], line["error"], line["level"]) == ("process_failed", "InvalidEnvironment", "critical")
    assert "SECRET_KEY is not set" in line["text"]
