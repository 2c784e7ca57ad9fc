"""What the demo writes for the agents of artifacts holds up before the product's own checks."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO

import pytest

from agents.artifact_agents.mermaid import diagram_problem
from agents.artifact_agents.suggestion_parser import SuggestionParser
from doubles.demo import artifact_texts, diagrams, documents, programs

TYPES = ("sequence", "class", "state", "ER", "Gantt", "pie", "git", "user journey", "mind map", "flow")


@pytest.mark.parametrize("name", TYPES)
def test_the_demos_diagrams_can_be_drawn_before_and_after_a_change(name: str) -> None:
    code = diagrams.diagram(f"Draw a {name} diagram", 'tea "and" {milk} (hot); 50%')
    assert diagram_problem(code) is None
    assert diagram_problem(diagrams.apply_change(code, "Add: a [cup] (or two)")) is None


def test_a_broken_diagram_is_mended_by_its_error() -> None:
    code = diagrams.diagram("Draw a broken diagram of tea", "tea")
    problem = diagram_problem(code)
    assert problem is not None
    assert diagram_problem(diagrams.repair(code, str(problem))) is None


@pytest.mark.parametrize("wish", ["some sums", "primes"])
def test_the_demos_programs_run(wish: str) -> None:
    code = programs.program(f"Write a Python script about {wish}")
    with redirect_stdout(StringIO()) as stdout:
        exec(compile(programs.apply_change(code, 'Add "more"'), "demo", "exec"), {})
    assert "Add " in stdout.getvalue()


def test_a_program_with_an_error_is_mended_by_it() -> None:
    code = programs.program("Write a Python script with an error")
    with redirect_stdout(StringIO()), pytest.raises(ZeroDivisionError):
        exec(compile(code, "demo", "exec"), {})
    with redirect_stdout(StringIO()) as stdout:
        exec(compile(programs.repair(code, "ZeroDivisionError: division by zero"), "demo", "exec"), {})
    assert "Tuesday 0.0" in stdout.getvalue()


def test_every_suggestion_of_the_demo_has_a_place_in_the_document() -> None:
    content = documents.write_document("Tea", "Write a report about tea.")
    proposals = SuggestionParser(content)
    suggestions = [item for line in artifact_texts.review(content) for item in proposals.feed(line)]
    assert len(suggestions) >= 3
    assert proposals.dropped == 0
    assert all(json.loads(line)["comment"] for line in artifact_texts.review(content))
