"""python -m evaluations.graders.pattern_process: {"kind", "value", "text"} as JSON on stdin, {"passed", "finding", "values"} on stdout.

A regular expression or the pattern of a JSON schema can take forever even on a short text; in this process the kernel ends it. It can
open neither files nor sockets, so a schema can't fetch what it refers to.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable

from files.readers.confinement import confine

MEMORY_BYTES = 512 * 1024 * 1024
CPU_S = 3  # of the whole process, with about half a second for its start
MAX_VALUE_CHARS = 400  # of a match or of an error
CheckResult = tuple[
    bool, str, dict[str, str | int]
]  # passed, a key of SENTENCES in evaluations.graders.patterns, what stands in the sentence

_FENCE = re.compile(r"\A\s*```[a-z]*\n(.*)\n```\s*\Z", re.DOTALL)


def regex(pattern: str, text: str) -> CheckResult:
    try:
        match = re.search(pattern, text)
    except (re.error, OverflowError, RecursionError) as error:
        return False, "bad_regex", {"error": str(error)}
    if match is None:
        return False, "no_match", {}
    return True, "match", {"text": match.group(), "place": match.start() + 1}


def json_schema(schema: str, text: str) -> CheckResult:
    """Check the answer, or the one block of code that it is, against the schema; a blank one asks for any JSON."""
    match = _FENCE.match(text)
    try:
        value = json.loads(match.group(1) if match else text)
    except (ValueError, RecursionError) as error:
        return False, "not_json", {"error": str(error)}
    try:
        return _validate(json.loads(schema) if schema.strip() else True, value)
    except (SchemaError, Unresolvable, re.error, ValueError, RecursionError) as error:
        return False, "bad_schema", {"message": str(error).splitlines()[0]}


def _validate(schema: Any, value: Any) -> CheckResult:
    Draft202012Validator.check_schema(schema)
    problem = next(Draft202012Validator(schema, registry=Registry()).iter_errors(value), None)
    if problem is None:
        return True, "as_schema", {}
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in problem.absolute_path)
    return False, "not_as_schema", {"problem": f"{place.lstrip('.') + ': ' if place else ''}{problem.message}"}


CHECKS = {"regex": regex, "json_schema": json_schema}


if __name__ == "__main__":
    payload = json.loads(sys.stdin.buffer.read())
    Draft202012Validator.check_schema({"type": "object"})  # reads its files while they can be opened
    confine(MEMORY_BYTES, CPU_S)
    passed, finding, values = CHECKS[payload["kind"]](payload["value"], payload["text"])
    short = {name: value[:MAX_VALUE_CHARS] if isinstance(value, str) else value for name, value in values.items()}
    sys.stdout.write(json.dumps({"passed": passed, "finding": finding, "values": short}))
