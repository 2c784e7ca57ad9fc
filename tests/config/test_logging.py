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
from tenants.errors import Conflict
logging.config.dictConfig(LOGGING)

def answer(message):
    raise ValueError(message)

try:
    answer("".join(["written", "by", "Bob"]))
except ValueError as error:
    structlog.get_logger("own").exception("run_failed", run_id="r1")
    logging.getLogger("library").exception("foreign: %s", error)
    logging.getLogger("library").warning("without a traceback: %r", error)
    logging.getLogger("celery.app.trace").error("Task %(exc)s\\n%(traceback)s", {"exc": repr(error), "traceback": str(error)}, exc_info=True)
    try:
        raise Conflict("Somebody was faster.") from error
    except Conflict:
        structlog.get_logger("own").exception("refused")
logging.getLogger("library").exception("outside of an error")
"""
SPEAKS = """
import logging.config
from config.settings.logging import LOGGING
logging.config.dictConfig(LOGGING)

for name in ("anthropic._base_client", "openai._base_client", "httpx", "httpx2", "httpcore.http11", "httpcore2.http11", "google_genai"):
    logging.getLogger(name).info("%s sends written by Bob", name)
logging.getLogger("websockets.client").debug("a library sends written by Bob")
logging.getLogger("chat.runs").debug("our own")
"""


def run(program: str, **environ: str) -> str:
    """Return what the program says on standard error."""
    env = {**os.environ, **environ}
    return subprocess.run([sys.executable, "-c", program], cwd=BASE_DIR, env=env, capture_output=True, text=True, check=True).stderr


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_an_error_shows_its_class_and_where_it_was_but_neither_text_nor_variables(log_format: str) -> None:
    log_text = run(FAILS, LOG_FORMAT=log_format)
    assert "writtenbyBob" not in log_text
    for phrase in (
        "run_failed",
        "foreign: ValueError",
        "without a traceback: ValueError",
        "Task ValueError",
        "Somebody was faster.",
        "outside of an error",
    ):
        assert phrase in log_text
    if log_format == "json":
        lines = [json.loads(line) for line in log_text.splitlines()]
        assert [[row["exc_type"] for row in line.get("exception", [])] for line in lines] == [
            ["ValueError"],
            ["ValueError"],
            [],
            ["ValueError"],
            ["Conflict", "ValueError"],
            [],
        ]
        assert [frame["name"] for frame in lines[0]["exception"][0]["frames"]] == ["<module>", "answer"]
        assert lines[4]["exception"][0]["code"] == "conflict"


def test_libraries_never_say_what_they_send() -> None:
    log_text = run(SPEAKS, LOG_LEVEL="DEBUG")
    assert "our own" in log_text
    assert "Bob" not in log_text


def test_a_process_that_cannot_start_says_so_in_one_object() -> None:
    environ = {"LOG_FORMAT": "json", "PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "config.settings"}
    result = subprocess.run([sys.executable, "-c", "import config.settings"], cwd=BASE_DIR, env=environ, capture_output=True, text=True)
    [line] = [json.loads(text) for text in result.stderr.splitlines()]
    assert (line["event"], line["error"], line["level"]) == ("process_failed", "InvalidEnvironment", "critical")
    assert "SECRET_KEY is not set" in line["text"]
