"""Cases as JSON lines: {"name", "input": [{"role", "content"}], "expected": [{"kind", "value", "detail"}], "must_pass"}, one a line.

Cases made from runs have "tool_results": [{"tool", "arguments", "output", "is_error"}] and "recorded_tools" as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext

from agents.runtime.replay.recorded_calls import GivenResult
from evaluations.graders.answer import ExpectedResult
from evaluations.interchange.cases import ROLES, CaseContent, case_check, name_of, plain_value, text_of
from tenants.errors import BadRequest


def write(cases: Iterable[CaseContent]) -> str:
    return "".join(f"{json.dumps(_as_json(case), ensure_ascii=False)}\n" for case in cases)


def read(text: str) -> list[CaseContent]:
    """Raises BadRequest, which names the line."""
    # No splitlines: texts in JSON have other ends of lines, such as U+2028, as they are.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    return [_case(line, gettext("Line %(number)s") % {"number": number}) for number, line in lines]


def _as_json(case: CaseContent) -> dict[str, Any]:
    return {
        "name": case.name,
        "input": [{"role": message["role"], "content": message["text"]} for message in case.messages],
        "expected": [{"kind": each.kind, "value": each.value, "detail": each.detail} for each in case.expected],
        "must_pass": case.marked,
        **({"tool_results": case.tool_results, "recorded_tools": case.recorded_tools} if case.tool_results else {}),
    }


def _case(line: str, place: str) -> CaseContent:
    try:
        record = plain_value(json.loads(line), place)
    except (ValueError, RecursionError) as error:
        raise BadRequest(gettext("%(place)s is not JSON.") % {"place": place}) from error
    if not isinstance(record, dict):
        raise BadRequest(gettext("%(place)s must be a JSON object.") % {"place": place})
    case_input = record.get("input")
    messages = _messages([{"role": "user", "content": case_input}] if isinstance(case_input, str) else case_input, place)
    expected = [_read_expectation(each, place) for each in _list(record.get("expected") or [], place, "expected")]
    name = name_of(record.get("name"), messages[-1]["text"] if messages else "")
    results = [_result(each, place) for each in _list(record.get("tool_results") or [], place, "tool_results")]
    content = CaseContent(
        name=name,
        messages=messages,
        expected=expected,
        marked=record.get("must_pass") is True,
        tool_results=results,
        recorded_tools=bool(results) and record.get("recorded_tools") is True,
    )
    return case_check(content, place)


def _messages(raw_messages: Any, place: str) -> list[dict[str, str]]:
    messages = []
    for message in _list(raw_messages, place, "input"):
        if not isinstance(message, Mapping) or message.get("role") not in ROLES:
            raise BadRequest(gettext("%(place)s: each message in “input” needs the role “user” or “assistant”.") % {"place": place})
        messages.append({"role": str(message["role"]), "text": text_of(message.get("content"), place)})
    return messages


def _read_expectation(entry: Any, place: str) -> ExpectedResult:
    """Read an expectation; a text alone is what the answer must contain."""
    if isinstance(entry, str):
        return ExpectedResult("contains", entry)
    if not isinstance(entry, Mapping):
        raise BadRequest(gettext("%(place)s: each entry of “expected” must be an object with “kind” and “value”.") % {"place": place})
    return ExpectedResult(str(entry.get("kind")), text_of(entry.get("value", ""), place), text_of(entry.get("detail", ""), place))


def _result(entry: Any, place: str) -> GivenResult:
    is_whole = isinstance(entry, Mapping) and isinstance(entry.get("tool"), str) and isinstance(entry.get("arguments"), dict)
    if not is_whole or "output" not in entry:
        raise BadRequest(gettext("%(place)s: each of “tool_results” needs “tool”, “arguments” and “output”.") % {"place": place})
    return GivenResult(tool=entry["tool"], arguments=entry["arguments"], output=entry["output"], is_error=entry.get("is_error") is True)


def _list(entries: Any, place: str, name: str) -> list[Any]:
    if not isinstance(entries, list):
        raise BadRequest(gettext("%(place)s: “%(name)s” must be a list.") % {"place": place, "name": name})
    return entries
