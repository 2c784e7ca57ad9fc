"""Graders of the tools that an agent called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evaluations.graders.answer import Answer, ExpectedResult, Verdict, quote
from evaluations.translation import gettext, gettext_noop as _


def tool_called(expected: ExpectedResult, answer: Answer) -> Verdict:
    """`value`: the tool's name. `detail`: a JSON object that the call's arguments must contain; blank: any arguments."""
    name, arguments = expected.value.strip(), json.loads(expected.detail) if expected.detail.strip() else {}
    calls = [call for call in answer.tools if call.name == name]
    if not calls:
        others = ", ".join(sorted({call.name for call in answer.tools}))
        if others:
            return Verdict(False, _("%(name)s was not called. Called were: %(others)s."), {"name": name, "others": others})
        return Verdict(False, _("%(name)s was not called."), {"name": name})
    if any(contains_value(call.arguments, arguments) for call in calls):
        return Verdict(True, _("%(name)s was called."), {"name": name})
    last_arguments = quote(json.dumps(calls[-1].arguments, ensure_ascii=False, default=str))
    return Verdict(False, _("%(name)s was called with %(arguments)s."), {"name": name, "arguments": last_arguments})


def not_called(expected: ExpectedResult, answer: Answer) -> Verdict:
    name = expected.value.strip()
    count = sum(call.name == name for call in answer.tools)
    if count > 1:
        return Verdict(False, _("%(name)s was called %(count)s times."), {"name": name, "count": count})
    return Verdict(not count, _("%(name)s was called.") if count else _("%(name)s was not called."), {"name": name})


def called_problem(expected: ExpectedResult) -> str:
    if not expected.detail.strip():
        return ""
    try:
        arguments = json.loads(expected.detail)
    except (ValueError, RecursionError):
        return gettext('The arguments must be a JSON object, such as {"number": "88213"}.')
    return "" if isinstance(arguments, dict) else gettext('The arguments must be a JSON object, such as {"number": "88213"}.')


def contains_value(actual: Any, expected: Any) -> bool:
    """Return whether `actual` has all that `expected` has. Objects may have further keys; everything else must be equal."""
    if isinstance(expected, Mapping):
        return isinstance(actual, Mapping) and all(key in actual and contains_value(actual[key], value) for key, value in expected.items())
    return bool(actual == expected)
