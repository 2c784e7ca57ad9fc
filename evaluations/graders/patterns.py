"""Graders that can take forever: regular expressions and JSON schemas, in a child process that can be killed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from evaluations.graders.answer import Answer, ExpectedResult, Verdict
from evaluations.translation import gettext, gettext_noop as _

MAX_CHECK_S = 20.0  # with the start of the process on a busy machine
TOO_LONG = _("The check takes too long. Use a simpler pattern.")
SENTENCES = {
    "bad_regex": _("The regular expression is wrong: %(error)s."),
    "no_match": _("Nothing in the answer matches."),
    "match": _("“%(text)s” matches, at character %(place)s."),
    "not_json": _("The answer is not JSON: %(error)s."),
    "bad_schema": _("The schema is wrong: %(message)s"),
    "as_schema": _("The JSON is as the schema asks."),
    "not_as_schema": "%(problem)s",
}
PRODUCT = Path(__file__).resolve().parents[2]


def in_child(expected: ExpectedResult, answer: Answer) -> Verdict:
    """Grade in a child process. Blocks for about half a second, and MAX_CHECK_S at most."""
    payload = json.dumps({"kind": expected.kind, "value": expected.value, "text": answer.text}).encode()
    command = [sys.executable, "-s", "-m", "evaluations.graders.pattern_process"]
    try:
        done = subprocess.run(command, input=payload, capture_output=True, timeout=MAX_CHECK_S, env={}, cwd=PRODUCT, check=False)
    except subprocess.TimeoutExpired:
        return Verdict(False, TOO_LONG)
    if done.returncode:
        return Verdict(False, TOO_LONG)
    reply = json.loads(done.stdout)
    return Verdict(reply["passed"], SENTENCES[reply["finding"]], reply["values"])


def regex_problem(expected: ExpectedResult) -> str:
    try:
        re.compile(expected.value)
    except (re.error, OverflowError, RecursionError) as error:
        return gettext("The regular expression is wrong: %(error)s.") % {"error": error}
    return ""


def schema_problem(expected: ExpectedResult) -> str:
    if not expected.value.strip():
        return ""
    try:
        Draft202012Validator.check_schema(json.loads(expected.value))
    except SchemaError as error:
        return gettext("The schema is wrong: %(message)s") % {"message": error.message}
    except (ValueError, RecursionError) as error:
        return gettext("The schema is not JSON: %(error)s.") % {"error": error}
    return ""
