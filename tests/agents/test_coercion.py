"""What becomes of a call's arguments: corrected where the meaning is plain, refused with a place where it is not, else untouched."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from agents.coercion import arguments as coercion
from agents.coercion.arguments import MAX_MESSAGE_CHARS, CoercionResult, coerce_arguments, parse_arguments
from tests.support.agents.json_equality import identical

INTEGER: dict[str, Any] = {"type": "integer"}
NUMBER: dict[str, Any] = {"type": "number"}
TEXT: dict[str, Any] = {"type": "string"}
FLAG: dict[str, Any] = {"type": "boolean"}


def of(schema: Any, *, required: bool = False, **more: Any) -> dict[str, Any]:
    """The schema of arguments with one property, x."""
    return {"type": "object", "properties": {"x": schema}, "required": ["x"] if required else [], **more}


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


@pytest.mark.parametrize(
    ("schema", "argument", "expected"),
    [
        (INTEGER, "5", 5),
        (INTEGER, " -5 ", -5),
        (INTEGER, 5.0, 5),
        (INTEGER, "5.0", 5),
        (INTEGER, "12345678901234567890", 12345678901234567890),
        (NUMBER, "5.5", 5.5),
        (NUMBER, "5", 5),
        (NUMBER, 5.0, 5.0),
        (FLAG, "true", True),
        (FLAG, "False", False),
        (TEXT, 5, "5"),
        (TEXT, 5.5, "5.5"),
        (TEXT, True, "true"),
        (array(TEXT), "a", ["a"]),
        (array(INTEGER), "5", [5]),
        (array(INTEGER), ["1", 2, 3.0], [1, 2, 3]),
        (array(TEXT), '["a", "b"]', ["a", "b"]),
        (array({"type": "object"}), {"a": 1}, [{"a": 1}]),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"type": "object"}, '```json\n{"a": 1}\n```', {"a": 1}),
        (of(of(INTEGER)), '{"x": "{\\"x\\": \\"5\\"}"}', {"x": {"x": 5}}),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["integer", "boolean"]}, "true", True),
        ({"type": "array", "prefixItems": [INTEGER, FLAG], "items": TEXT}, ["1", "true", 2], [1, True, "2"]),
        ({"type": "object", "additionalProperties": INTEGER}, {"a": "1"}, {"a": 1}),
        ({"enum": ["asc", "desc"]}, "ASC", "asc"),
        ({"enum": [1, 2]}, "2", 2),
        ({"type": "string", "enum": ["1", "2"]}, 2, "2"),
        ({"const": True}, "True", True),
        ({"anyOf": [INTEGER, {"type": "null"}]}, "5", 5),
        ({"anyOf": [INTEGER, TEXT]}, 5.0, 5),
        ({"anyOf": [array(INTEGER), INTEGER]}, "5", 5),
        ({"anyOf": [{"const": 1}, {"const": "a"}]}, "A", "a"),
        ({"oneOf": [of({"const": "a"}, required=True), of({"const": "b"}, required=True)]}, {"x": "B"}, {"x": "b"}),
        ({"allOf": [INTEGER, {"minimum": 3}]}, "5", 5),
        ({"if": {"type": "string"}, "then": {"enum": ["A"]}}, "a", "A"),
    ],
)
def test_what_was_sent_in_another_form_is_corrected(schema: Any, argument: Any, expected: Any) -> None:
    result = coerce_arguments(of(schema), {"x": argument})
    assert result.problem is None
    assert identical(result.arguments, {"x": expected})


@pytest.mark.parametrize(
    ("schema", "argument"),
    [
        (INTEGER, "5.5"),
        (INTEGER, 5.5),
        (INTEGER, "five"),
        (INTEGER, "1e400"),
        (INTEGER, True),
        (INTEGER, "9" * 5000),
        (NUMBER, "NaN"),
        (NUMBER, "1,000"),
        (FLAG, 1),
        (FLAG, "yes"),
        (TEXT, {"a": 1}),
        (TEXT, ["a"]),
        ({"type": "object"}, "not JSON"),
        ({"type": "object"}, "[" * 5000),
        (array(INTEGER), "1, 2"),
        (array(INTEGER), [None]),
        ({"enum": ["on", "ON"]}, "On"),
        ({"enum": ["asc"]}, "ascending"),
        ({"enum": ["null"]}, [None]),
        ({"anyOf": [FLAG, {"enum": ["TRUE"]}]}, "true"),
        ({"type": "string", "maxLength": 3}, "abcd"),
        ({"type": "integer", "maximum": 3}, "4"),
        ({"propertyNames": {"enum": ["a"]}}, {"A": 1}),
        ({"not": {}}, 1),
    ],
)
def test_what_only_a_guess_could_correct_is_refused_and_stays(schema: Any, argument: Any) -> None:
    result = coerce_arguments(of(schema), {"x": argument})
    assert result.problem is not None
    assert result.problem.startswith("Wrong arguments at $.x")
    assert result.arguments == {"x": argument}


def test_null_is_left_out_where_a_property_may_be_missing() -> None:
    assert coerce_arguments(of(INTEGER), {"x": None}) == CoercionResult({})
    assert coerce_arguments(of({"anyOf": [INTEGER, TEXT]}), {"x": None}) == CoercionResult({})
    assert coerce_arguments(of({"type": ["integer", "null"]}), {"x": None}) == CoercionResult({"x": None})
    assert coerce_arguments(of(INTEGER, required=True), {"x": None}).problem == "Wrong arguments at $: 'x' is a required property"


def test_nothing_is_filled_in_or_left_out() -> None:
    schema = of({"type": "integer", "default": 7}, additionalProperties=False)
    assert coerce_arguments(schema, {}) == CoercionResult({})
    assert coerce_arguments(schema, {"y": 1}).problem is not None


def test_arguments_that_fit_are_the_same_object() -> None:
    for arguments in ({"x": 5}, {"x": 5, "y": 5.0}):
        assert coerce_arguments(of(INTEGER), arguments).arguments is arguments
    assert identical(coerce_arguments(of(INTEGER), {"x": 5.0}).arguments, {"x": 5})


def test_local_references_are_followed_and_remote_ones_never_fetched() -> None:
    tree = {"type": "object", "properties": {"n": INTEGER, "inner": array({"$ref": "#/$defs/tree"})}, "required": ["n"]}
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **of({"$ref": "#/$defs/tree"}), "$defs": {"tree": tree}}
    arguments = {"x": {"n": "1", "inner": [{"n": "2", "inner": {"n": "3"}}]}}
    assert coerce_arguments(schema, arguments).arguments == {"x": {"n": 1, "inner": [{"n": 2, "inner": [{"n": 3}]}]}}
    assert "can't be applied" in str(coerce_arguments(of({"$ref": "https://example.org/schema"}), {"x": 1}).problem)


def test_a_reference_to_the_root_keeps_integers_apart_from_floats() -> None:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"n": INTEGER, "inner": {"$ref": "#"}}}
    assert identical(coerce_arguments(schema, {"inner": {"n": 5.0}}).arguments, {"inner": {"n": 5}})


def test_unions_in_unions_are_corrected_at_any_depth() -> None:
    node = {"anyOf": [INTEGER, {"type": "object", "properties": {"inner": {"$ref": "#/$defs/node"}}, "required": ["inner"]}]}
    argument: Any = "5"
    expected: Any = 5
    for _ in range(30):
        argument, expected = {"inner": argument}, {"inner": expected}
    assert coerce_arguments({**of({"$ref": "#/$defs/node"}), "$defs": {"node": node}}, {"x": argument}) == CoercionResult({"x": expected})


ENDLESS = "^(a+)+$"


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"x": {"pattern": ENDLESS}}},
        {"patternProperties": {ENDLESS: {}}, "additionalProperties": False},
        {"propertyNames": {"pattern": ENDLESS}},
        {"patternProperties": {ENDLESS: {}}, "unevaluatedProperties": False},
        {"$schema": "http://json-schema.org/draft-07/schema#", "patternProperties": {ENDLESS: {}}, "additionalProperties": INTEGER},
        {"anyOf": [{"properties": {"x": {"pattern": ENDLESS}}}, {"patternProperties": {ENDLESS: {}}}]},
        {"properties": {"x": {"pattern": "("}}},
    ],
)
def test_a_schemas_regular_expressions_are_never_applied(schema: Any) -> None:
    long = "a" * 40 + "!"
    assert coerce_arguments(schema, {"x": long, long: "1"}) == CoercionResult({"x": long, long: "1"})


def test_a_problem_names_the_place_and_cuts_the_value() -> None:
    result = coerce_arguments(of(array(of(INTEGER))), {"x": [{"x": 1}, {"x": "n" * 10_000}]})
    assert result.problem is not None
    assert result.problem.startswith("Wrong arguments at $.x[1].x: 'nnn")
    assert len(result.problem) < MAX_MESSAGE_CHARS + 100


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5},
        {"type": "strange"},
        {"properties": 5},
        {"properties": {"x": {"$ref": "#/nowhere"}}},
        {"properties": {"x": {"minLength": "a"}}},
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"anyOf": 5},
        {"$schema": "https://example.org/own", "required": ["y"]},
        {"$schema": 5, "required": ["y"]},
        {"type": "array"},
        {"anyOf": [{"type": "array"}, {"type": "string"}]},
    ],
)
def test_a_wrong_schema_is_a_problem_and_no_error(schema: Any) -> None:
    result = coerce_arguments(schema, {"x": "a"})
    assert result.problem is not None
    assert result.problem.startswith("Wrong arguments at $")
    assert result.arguments == {"x": "a"}


def test_the_work_for_one_call_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coercion, "MAX_KEYWORD_CHECKS", 2000)
    doubling = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    assert "too large" in str(coerce_arguments({"$ref": "#/$defs/d0", "$defs": {**doubling, "d40": INTEGER}}, {"x": "5"}).problem)
    assert "too large" in str(coerce_arguments(of(array(INTEGER)), {"x": ["1"] * 3000}).problem)
    deep: Any = 1
    for _ in range(coercion.MAX_ARGUMENT_DEPTH + 1):
        deep = [deep]
    assert "too deeply" in str(coerce_arguments(of({}), {"x": deep}).problem)


def test_coercion_does_not_change_its_input() -> None:
    schema, arguments = of(array(of(INTEGER))), {"x": [{"x": "1"}, {"x": None}]}
    before = copy.deepcopy((schema, arguments))
    assert coerce_arguments(schema, arguments).arguments == {"x": [{"x": 1}, {}]}
    assert (schema, arguments) == before


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"a": 1}', {"a": 1}),
        (' \n{"a": 1}\n ', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": 1}\n```\n', {"a": 1}),
        ("", {}),
        ("[1]", None),
        ("5", None),
        ('{"a": 1', None),
        ('{"a": NaN}', None),
        ('{"a": 1} and more', None),
        ("[" * 100_000, None),
    ],
)
def test_arguments_are_read_from_a_providers_text(text: str, arguments: dict[str, Any] | None) -> None:
    assert parse_arguments(text) == arguments
