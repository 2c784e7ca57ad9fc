"""Graders of the tools that an agent called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evaluations.graders.answer import Answer, ExpectedResult, Verdict, quote
from evaluations.translation import gettext, gettext_noop as _


def tool_called(expected: ExpectedResult, answer: Answer) -> Verdict:
    """`value`: the tool's name. `detail`: a JSON object that the call's arguments must contain; blank: any arguments."""
    name, wanted = expected.value.strip(), json.loads(expected.detail) if expected.detail.strip() else {}
    calls = [call for call in answer.tools if call.name == name]
    if not calls:
        others = ", ".join(sorted({call.name for call in answer.tools}))
        if others:
            return Verdict(False, _("%(name)s was not called. Called were: %(others)s."), {"name": name, "others": others})
        return Verdict(False, _("%(name)s was not called."), {"name": name})
    if any(contains_value(call.arguments, wanted) for call in calls):
        return Verdict(True, _("%(name)s was called."), {"name": name})
    given = quote(json.dumps(calls[-1].arguments, ensure_ascii=False, default=str))
    return Verdict(False, _("%(name)s was called with %(arguments)s."), {"name": name, "arguments": given})


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
        given = json.loads(expected.detail)
    except (ValueError, RecursionError):
        return gettext('The arguments must be a JSON object, such as {"number": "88213"}.')
    return "" if isinstance(given, dict) else gettext('The arguments must be a JSON object, such as {"number": "88213"}.')


def contains_value(given: Any, wanted: Any) -> bool:
    """Return whether `given` has all that `wanted` has. Objects may have further keys; everything else must be equal."""
    if isinstance(wanted, Mapping):
        return isinstance(given, Mapping) and all(key in given and contains_value(given[key], value) for key, value in wanted.items())
    return bool(given == wanted)
