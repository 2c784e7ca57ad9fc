"""Cases go out and come back as JSON lines and as CSV, and promptfoo's tests come in."""

from __future__ import annotations

import pytest

from agents.runtime.replay.recorded_calls import GivenResult
from evaluations.graders.answer import ExpectedResult
from evaluations.interchange import csv_rows, json_lines, promptfoo
from evaluations.interchange.cases import CaseContent, earlier_as_text, earlier_from_text
from tenants.errors import BadRequest

USER, ASSISTANT = "user", "assistant"
CASES = [
    CaseContent(
        name="Łódź, by train",
        messages=[{"role": USER, "text": "Hi"}, {"role": ASSISTANT, "text": "Hello.\nWhere to?"}, {"role": USER, "text": '=Łódź, "now"?'}],
        expected=[
            ExpectedResult("contains", "train"),
            ExpectedResult("contains", "Łódź"),
            ExpectedResult("tool_called", "timetable", '{"to": "Łódź"}'),
            ExpectedResult("number", "42", "0.5"),
        ],
        marked=True,
    ),
    CaseContent(name="Plain", messages=[{"role": USER, "text": "What is tea?"}]),
]
RECORDED: GivenResult = {"tool": "timetable", "arguments": {"to": "Łódź"}, "output": [1, "ÿ\u2028"], "is_error": False}


@pytest.mark.parametrize("form", [json_lines, csv_rows])
def test_what_is_written_is_read_again(form: object) -> None:
    again = form.read(form.write(CASES))  # type: ignore[attr-defined]
    assert [(case.name, case.messages, case.marked) for case in again] == [(case.name, case.messages, case.marked) for case in CASES]
    assert [sorted(case.expected, key=str) for case in again] == [sorted(case.expected, key=str) for case in CASES]


def test_a_spreadsheet_runs_nothing_of_an_export() -> None:
    assert "\"'=Łódź" in csv_rows.write(CASES)


def test_a_short_line_is_enough() -> None:
    [case] = json_lines.read('{"input": "What is tea?", "expected": ["drink"]}')
    assert (case.name, case.question, case.expected) == ("What is tea?", "What is tea?", [ExpectedResult("contains", "drink")])


def test_recorded_results_go_out_and_come_back_and_are_used_only_where_there_are_any() -> None:
    case = CaseContent(name="Train", messages=[{"role": USER, "text": "When?"}], tool_results=[RECORDED], recorded_tools=True)
    [again] = json_lines.read(json_lines.write([case]))
    assert (again.tool_results, again.recorded_tools) == ([RECORDED], True)
    [bare] = json_lines.read('{"input": "When?", "recorded_tools": true}')
    assert not bare.recorded_tools


@pytest.mark.parametrize(
    ("form", "text", "problem"),
    [
        (json_lines, "{", "Line 1 is not JSON."),
        (json_lines, '\n{"input": []}', "Line 2: The last message must be a question of the user."),
        (json_lines, '{"input": [{"role": "system", "content": "x"}]}', "needs the role"),
        (json_lines, '{"input": "x", "expected": [{"kind": "javascript", "value": "1"}]}', "Line 1: Choose what to check."),
        (json_lines, '{"input": "x", "expected": [{"kind": "regex", "value": "("}]}', "The regular expression is wrong"),
        (csv_rows, "name\nTea", "needs a column “question”"),
        (csv_rows, "question,color\nTea,red", "Unknown columns: color."),
        (csv_rows, "question,earlier\nTea,hello", "Row 2: Begin with “User:”"),
        (promptfoo, "a: [", "no YAML"),
        (promptfoo, "[" * 100_000, "no YAML"),
        (promptfoo, "tests: [&a {vars: {a: x}}, *a]", "uses references"),
        (promptfoo, "prompts: [x]", "no list “tests”"),
        (promptfoo, "tests: [{vars: {a: 1, b: 2}}]", "Name one of them “question”"),
        (promptfoo, "tests: [{vars: {question: x}, assert: [{type: javascript, value: 1}]}]", "Test 1: “javascript” runs a program"),
        (promptfoo, "tests: [{vars: {question: x}, assert: [{type: similar, value: 1}]}]", "“similar” is not known here"),
        (promptfoo, "tests: [{vars: {question: x}, assert: [{type: latency}]}]", "in milliseconds"),
    ],
)
def test_a_file_that_is_wrong_says_where(form: object, text: str, problem: str) -> None:
    with pytest.raises(BadRequest) as refusal:
        form.read(text)  # type: ignore[attr-defined]
    assert problem in str(refusal.value)


def test_promptfoos_tests_become_cases() -> None:
    cases = promptfoo.read(
        """
prompts: ["Translate {{text}} to {{ language }}."]
tests:
  - description: German
    vars: {text: tea, language: German}
    assert:
      - {type: icontains, value: Tee}
      - {type: not-contains, value: tea}
      - {type: llm-rubric, value: Is polite}
      - {type: is-json}
      - {type: is-json, value: {type: object}}
      - {type: cost, threshold: 0.01}
      - {type: latency, threshold: 2500}
  - vars: {text: milk, language: French}
"""
    )
    assert [(case.name, case.question) for case in cases] == [
        ("German", "Translate tea to German."),
        ("Translate milk to French.", "Translate milk to French."),
    ]
    assert cases[0].expected == [
        ExpectedResult("regex", "(?i)Tee"),
        ExpectedResult("not_contains", "tea"),
        ExpectedResult("judge", "Is polite"),
        ExpectedResult("json_schema", ""),
        ExpectedResult("json_schema", '{"type": "object"}'),
        ExpectedResult("cost", "0.01"),
        ExpectedResult("latency", "2.5"),
    ]


def test_yaml_makes_no_objects() -> None:
    with pytest.raises(BadRequest):
        promptfoo.read("tests: !!python/object/apply:os.system ['true']")


def test_earlier_messages_are_written_as_people_do() -> None:
    messages = [{"role": USER, "text": "Hi\nthere"}, {"role": ASSISTANT, "text": "Hello"}]
    assert earlier_from_text(earlier_as_text(messages)) == messages
    assert earlier_from_text("  ") == []
