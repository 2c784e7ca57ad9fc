"""Graders say whether an answer is as expected, and why."""

from __future__ import annotations

import pytest
from django.utils import translation

from evaluations.graders.answer import Answer, CalledTool, ExpectedResult
from evaluations.graders.judgement import read_judgement
from evaluations.graders.kinds import KINDS, expected_problem, grade

SCHEMA = '{"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}'
ORDER = CalledTool("get_order", {"number": "88213", "with": {"lines": True, "hold": True}})


@pytest.mark.parametrize(
    ("kind", "value", "detail", "text", "passed"),
    [
        ("contains", "Paris", "", "It is Paris.", True),
        ("contains", "Paris", "", "It is paris.", False),
        ("not_contains", "Monday", "", "I can't tell.", True),
        ("not_contains", "Monday", "", "On Monday.", False),
        ("equals", "yes", "", " yes\n", True),
        ("equals", "yes", "", "yes.", False),
        ("regex", r"\b\d{2} Nov", "", "By 23 Nov.", True),
        ("regex", r"^No", "", "Yes. No.", False),
        ("json_schema", "", "", '{"a": [1]}', True),
        ("json_schema", "", "", "Sure!", False),
        ("json_schema", SCHEMA, "", '```json\n{"city": "Łódź"}\n```', True),
        ("json_schema", SCHEMA, "", '{"city": 3}', False),
        ("json_schema", SCHEMA, "", "{}", False),
        ("number", "1234.5", "", "It costs 1,234.50 dollars.", True),
        ("number", "42", "0.5", "About 42.4", True),
        ("number", "42", "0.5", "About 43", False),
        ("number", "42", "", "None", False),
    ],
)
def test_a_text_is_judged(kind: str, value: str, detail: str, text: str, passed: bool) -> None:
    [verdict] = grade([ExpectedResult(kind, value, detail)], Answer(text=text))
    assert verdict.passed is passed, verdict.reason
    assert verdict.reason.endswith((".", "”", "'", "property"))


@pytest.mark.parametrize(
    ("kind", "value", "detail", "passed"),
    [
        ("tool_called", "get_order", "", True),
        ("tool_called", "get_order", '{"number": "88213"}', True),
        ("tool_called", "get_order", '{"with": {"hold": true}}', True),
        ("tool_called", "get_order", '{"number": "1"}', False),
        ("tool_called", "get_order", '{"color": null}', False),
        ("tool_called", "search", "", False),
        ("tool_not_called", "search", "", True),
        ("tool_not_called", "get_order", "", False),
    ],
)
def test_calls_of_tools_are_judged(kind: str, value: str, detail: str, passed: bool) -> None:
    [verdict] = grade([ExpectedResult(kind, value, detail)], Answer(text="", tools=[ORDER]))
    assert verdict.passed is passed, verdict.reason


@pytest.mark.parametrize(
    ("kind", "limit", "answer", "passed"),
    [
        ("latency", "2.5", Answer(text="", duration_s=2.5), True),
        ("latency", "2.5", Answer(text="", duration_s=2.6), False),
        ("cost", "0.05", Answer(text="", cost_usd=0.05), True),
        ("cost", "0.05", Answer(text="", cost_usd=0.051), False),
        ("cost", "0.05", Answer(text="", cost_usd=None), False),
    ],
)
def test_time_and_cost_are_judged(kind: str, limit: str, answer: Answer, passed: bool) -> None:
    [verdict] = grade([ExpectedResult(kind, limit)], answer)
    assert verdict.passed is passed, verdict.reason


@pytest.mark.parametrize(
    ("kind", "value", "text", "reason"),
    [
        ("regex", r"(a+)+$", "a" * 40 + "b", "takes too long"),
        ("json_schema", '{"type": "string", "pattern": "^(a+)+$"}', '"' + "a" * 40 + 'b"', "takes too long"),
        ("json_schema", '{"$ref": "https://example.com/schema"}', "{}", "The schema is wrong"),
    ],
)
def test_what_takes_forever_or_reaches_out_fails_and_says_so(kind: str, value: str, text: str, reason: str) -> None:
    [verdict] = grade([ExpectedResult(kind, value)], Answer(text=text))
    assert not verdict.passed
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("kind", "value", "detail", "problem"),
    [
        ("contains", " ", "", "Fill this in: Text."),
        ("contains", "a", "b", "“Contains” has no second field. Leave it blank."),
        ("regex", "(", "", "The regular expression is wrong: missing ), unterminated subpattern at position 0."),
        ("json_schema", '{"type": "sting"}', "", "The schema is wrong: 'sting' is not valid under any of the given schemas"),
        ("tool_called", "a", "[1]", 'The arguments must be a JSON object, such as {"number": "88213"}.'),
        ("number", "many", "", "The number must be a number, such as 42 or 0.5."),
        ("number", "1", "-1", "The tolerance can't be negative."),
        ("number", "NaN", "", "The number must be a number, such as 42 or 0.5."),
        ("latency", "0", "", "Enter a number above 0, such as 0.5 or 12."),
        ("cost", "1e999999999", "", "Enter a number above 0, such as 0.5 or 12."),
        ("javascript", "1", "", "Choose what to check."),
        ("json_schema", "", "", ""),
        ("number", "42", "0.5", ""),
    ],
)
def test_what_is_filled_in_is_checked(kind: str, value: str, detail: str, problem: str) -> None:
    assert expected_problem(ExpectedResult(kind, value, detail)) == problem


@pytest.mark.parametrize(
    ("reply", "passed", "reason"),
    [
        ("PASS\nIt names no date.", True, "It names no date."),
        ("**FAIL**\n\nNames Monday.", False, "Names Monday."),
        ("Fail: names Monday.", False, "names Monday."),
        ("PASS", True, "The judge gave no reason."),
        ("PASS\n100 %(all) of it.", True, "100 %(all) of it."),
        ("It would PASS.", False, "The judge gave no verdict, but “It would PASS.”."),
        (" ", False, "The judge said nothing."),
    ],
)
def test_a_judges_reply_is_read(reply: str, passed: bool, reason: str) -> None:
    verdict = read_judgement(reply)
    assert (verdict.passed, verdict.reason) == (passed, reason)


def test_a_verdict_is_read_in_the_readers_language() -> None:
    [verdict] = grade([ExpectedResult("contains", "Paris")], Answer(text="Rome"))
    assert verdict.reason == "“Paris” is missing."
    with translation.override("de"):
        assert verdict.reason == "“Paris” fehlt."


def test_each_kind_has_words() -> None:
    assert all(kind.label and kind.value for kind in KINDS.values())
