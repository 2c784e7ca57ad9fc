"""Graders of the tools that an agent called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evaluations.graders.answer import Answer, Expected, Verdict, shown
from evaluations.words import gettext


def called(expected: Expected, answer: Answer) -> Verdict:
    """`value`: the tool's name. `detail`: a JSON object that the call's arguments must contain; blank: any arguments."""
    name, wanted = expected.value.strip(), json.loads(expected.detail) if expected.detail.strip() else {}
    calls = [call for call in answer.tools if call.name == name]
    if not calls:
        others = ", ".join(sorted({call.name for call in answer.tools}))
        return Verdict(False, f"{name} was not called." + (f" Called were: {others}." if others else ""))
    if any(contains_value(call.arguments, wanted) for call in calls):
        return Verdict(True, f"{name} was called.")
    return Verdict(False, f"{name} was called with {shown(json.dumps(calls[-1].arguments, ensure_ascii=False, default=str))}.")


def not_called(expected: Expected, answer: Answer) -> Verdict:
    name = expected.value.strip()
    count = sum(call.name == name for call in answer.tools)
    return Verdict(not count, f"{name} was called {count} times." if count > 1 else f"{name} was {'' if count else 'not '}called.")


def called_problem(expected: Expected) -> str:
    if not expected.detail.strip():
        return ""
    try:
        given = json.loads(expected.detail)
    except (ValueError, RecursionError):
        return gettext('The arguments must be a JSON object, such as {"number": "88213"}.')
    return "" if isinstance(given, dict) else gettext('The arguments must be a JSON object, such as {"number": "88213"}.')


def contains_value(given: Any, wanted: Any) -> bool:
    """Return whether `given` has all that `wanted` has. Objects may have further keys; everything else must be equal."""
    if isinstance(wanted, Mapping):
        return isinstance(given, Mapping) and all(key in given and contains_value(given[key], value) for key, value in wanted.items())
    return bool(given == wanted)
