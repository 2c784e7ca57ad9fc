"""What holds for arguments and schemas of any shape (agents/coercion)."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st
from jsonschema import Draft202012Validator

from agents.coercion.arguments import CoercionResult, coerce_arguments
from tests.support.agents.json_equality import identical

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "5", "5.0", "true", "null", "a", "A", "[1]", '{"a": "1"}', '["true"]', "1e9"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


types = st.sampled_from(["integer", "number", "string", "boolean", "null", "array", "object"])


schemas = st.recursive(
    st.booleans()
    | st.builds(lambda kind: {"type": kind}, types | st.lists(types, min_size=1, max_size=3, unique=True))
    | st.builds(lambda options: {"enum": options}, st.lists(json_values, min_size=1, max_size=3))
    | st.sampled_from([{"minimum": 3}, {"maxLength": 2}, {"minItems": 2}, {"required": ["a"]}, {"$ref": "#"}, {"$ref": "#/$defs/a"}]),
    lambda inner: st.one_of(
        st.builds(
            lambda properties, rest: {"type": "object", "properties": properties, "additionalProperties": rest},
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            inner,
        ),
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda first, items: {"prefixItems": [first], "items": items}, inner, inner),
        st.builds(
            lambda key, branches: {key: branches}, st.sampled_from(["anyOf", "oneOf", "allOf"]), st.lists(inner, min_size=1, max_size=3)
        ),
        st.builds(lambda test, then: {"if": test, "then": then}, inner, inner),
        st.builds(lambda negated: {"not": negated}, inner),
    ),
    max_leaves=8,
)


roots = st.builds(
    lambda properties, rest, shared: {**rest, "properties": properties, "$defs": {"a": shared}},
    st.dictionaries(st.sampled_from("abc"), schemas, max_size=3),
    st.sampled_from([{}, {"required": ["a"]}, {"additionalProperties": False}, {"minProperties": 1}]),
    schemas.filter(lambda schema: "$ref" not in json.dumps(schema)),
)


calls = st.dictionaries(st.sampled_from("abcd"), json_values, max_size=4)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(roots, calls)
def test_the_result_fits_or_a_problem_is_named_and_valid_arguments_stay(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    before = copy.deepcopy(arguments)
    result = coerce_arguments(schema, arguments)
    assert identical(arguments, before)
    if _fits(schema, arguments):
        assert result == CoercionResult(arguments)
    if result.problem is None:
        assert _fits(schema, result.arguments)
        assert identical(coerce_arguments(schema, result.arguments).arguments, result.arguments)
    else:
        assert identical(result.arguments, arguments)


@settings(max_examples=100, deadline=None)
@given(json_values, calls)
def test_no_schema_makes_it_raise(schema: Any, arguments: dict[str, Any]) -> None:
    coerce_arguments({"properties": {"a": schema}, "allOf": schema}, arguments)


def _fits(schema: dict[str, Any], arguments: dict[str, Any]) -> bool:
    try:
        return Draft202012Validator(schema).is_valid(arguments)
    except RecursionError:
        return False
