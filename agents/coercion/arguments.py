"""Argument coercion (SPEC 3.11): corrects a call's arguments to fit the tool's schema, or says what does not fit.

The validator finds the places and this module corrects them. So every keyword that the validator supports is supported
here (references, branches, drafts), except regular expressions, which are left to the tool's own server (see
`UNCHECKED_KEYWORDS`). A valid value stays as it is, with one exception: a whole float where an integer is wanted (5.0,
which JSON schema accepts as 5) becomes that integer. Nothing is guessed, truncated, renamed or filled in: see
`values` for what counts as the same meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry

from agents.coercion.values import (
    NO_CORRECTION,
    as_type,
    json_copy,
    json_equal,
    json_value,
    match_enum_value,
    strip_code_fence,
)

MAX_MESSAGE_CHARS = 500  # of a problem's description: a validator quotes the value, which may be an entire document
MAX_KEYWORD_CHECKS = 50_000  # schema keywords checked for one call: 0.2 s, or one second if all of them are references
MAX_ARGUMENT_DEPTH = 64  # of nested arguments
MAX_CORRECTION_ROUNDS = 8  # each round corrects what is visible; the next one sees the content of JSON that was inside a string
# Schemas come from strangers, and a malicious regular expression can block the process forever.
UNCHECKED_KEYWORDS = frozenset({"pattern", "patternProperties", "unevaluatedProperties"})  # the last one applies name patterns
UNCORRECTABLE_KEYWORDS = frozenset({"type", "enum", "const", "required"})  # no correction elsewhere fixes these errors

Path = tuple[str | int, ...]

_checks_left: ContextVar[int] = ContextVar("checks_left", default=MAX_KEYWORD_CHECKS)


@dataclass(frozen=True, slots=True)
class CoercionResult:
    """The coerced arguments, or the reason why they don't fit."""

    arguments: dict[str, Any]  # as given when there is a problem
    problem: str | None = None  # the tool error for the model, with a JSON path; None: they fit


class _CheckLimitExceeded(Exception):
    """The arguments or the schema exceed a limit of this module."""


def coerce_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> CoercionResult:
    """Return the arguments as the tool's schema wants them: the same object when nothing needs correction, else a copy.

    Never raises and never modifies its input. Idempotent. Remote references are never fetched. An invalid schema is
    reported as a problem as soon as a value reaches the invalid part.
    """
    values = arguments if isinstance(arguments, dict) else dict(arguments)
    token = _checks_left.set(MAX_KEYWORD_CHECKS)
    try:
        return _coerce(schema, values)
    except (_CheckLimitExceeded, RecursionError):
        return CoercionResult(values, "Wrong arguments at $: they are too large or too deeply nested to be checked.")
    except Exception as error:  # noqa: BLE001  the schema is foreign data, and a validator may raise anything
        return CoercionResult(
            values, _truncate(f"Wrong arguments at $: the tool's schema can't be applied to them ({type(error).__name__}).")
        )
    finally:
        _checks_left.reset(token)


def parse_arguments(text: str) -> dict[str, Any] | None:
    """Parse arguments that a provider sent as JSON text, with or without white space or a code fence around it.

    Returns None when the text is not a JSON object. Empty text counts as no arguments: some providers send it for such
    calls.
    """
    bare = strip_code_fence(text)
    value = json_value(bare) if bare else {}
    return value if isinstance(value, dict) else None


def _coerce(schema: Mapping[str, Any], arguments: dict[str, Any]) -> CoercionResult:
    has_whole_float = _contains_whole_float(arguments)
    draft = validator_for(schema, default=Draft202012Validator)
    # Without "$schema": at a reference to the root, the validator would otherwise switch from these classes to its own.
    root = {key: value for key, value in schema.items() if key != "$schema"}
    plain, strict = (kind(root, registry=Registry()) for kind in _validators(draft))
    if _is_valid(plain, arguments):
        return CoercionResult(_with_integers(plain, strict, arguments) if has_whole_float else arguments)
    result, _ = _correct(strict, arguments)
    if not isinstance(result, dict):
        result = arguments  # the schema wants something else than an object, which arguments always are
    error = best_match(plain.iter_errors(result))
    return CoercionResult(arguments, _problem(error)) if error else CoercionResult(result)


def _with_integers(plain: Validator, strict: Validator, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return valid arguments with whole floats replaced by integers where the schema wants integers.

    Never rejects them: if that fails, returns them unchanged.
    """
    _checks_left.set(MAX_KEYWORD_CHECKS)
    with suppress(_CheckLimitExceeded, RecursionError):
        result, _ = _correct(strict, arguments)
        if isinstance(result, dict) and result == arguments and _is_valid(plain, result):
            return result
    return arguments


def _problem(error: ValidationError) -> str:
    return f"Wrong arguments at {_truncate(error.json_path)}: {_truncate(error.message)}"


def _truncate(text: str) -> str:
    return text[:MAX_MESSAGE_CHARS]


def _contains_whole_float(arguments: dict[str, Any]) -> bool:
    """Return whether the arguments contain a whole float.

    Raises _CheckLimitExceeded when they are nested too deeply or too large to be checked.
    """
    has_whole_float, size, level = False, 0, list[Any]([arguments])
    for _ in range(MAX_ARGUMENT_DEPTH):
        inner = [value for container in level for value in _children(container)]
        size += len(inner)
        if size > MAX_KEYWORD_CHECKS:
            raise _CheckLimitExceeded
        has_whole_float = has_whole_float or any(isinstance(value, float) and value.is_integer() for value in inner)
        level = [value for value in inner if isinstance(value, dict | list)]
        if not level:
            return has_whole_float
    raise _CheckLimitExceeded


def _children(container: Any) -> Iterator[Any]:
    return iter(container.values() if isinstance(container, dict) else container)


def _is_valid(validator: Validator, value: Any) -> bool:
    return next(iter(validator.iter_errors(value)), None) is None


def _correct(validator: Validator, value: Any) -> tuple[Any, bool]:
    """Return `value` after all possible corrections, and whether it fits."""
    for _ in range(MAX_CORRECTION_ROUNDS):
        errors = list(validator.iter_errors(value))
        if not errors:
            return value, True
        correction = _correct_once(validator, value, errors)
        if correction is NO_CORRECTION:
            break
        value = correction
    return value, False


def _correct_once(validator: Validator, value: Any, errors: Sequence[ValidationError]) -> Any:
    """Return a corrected copy of `value`, or NO_CORRECTION.

    Unions are tried last, because each of their branches needs a correction of its own.
    """
    unions = [error for error in errors if _is_union(error)]
    corrected_copy = _CorrectedCopy(value)
    if corrected_copy.correct((error for error in errors if not _is_union(error)), _simple_correction):
        return corrected_copy.value
    if any(error.validator in UNCORRECTABLE_KEYWORDS for error in errors):
        return NO_CORRECTION
    return corrected_copy.value if corrected_copy.correct(unions, lambda error: _union_correction(validator, error)) else NO_CORRECTION


class _CorrectedCopy:
    """A deep copy of a value that is corrected in place."""

    def __init__(self, value: Any) -> None:
        self._original = value
        self._root = [json_copy(value)]  # in a list, so that the value itself can be replaced, too
        self._corrected_paths = set[Path]()

    @property
    def value(self) -> Any:
        return self._root[0]

    def correct(self, errors: Iterable[ValidationError], correction: Callable[[ValidationError], Any]) -> bool:
        """Apply the corrections of the errors, at most one per place. Returns whether there were any."""
        for error in errors:
            path = tuple(error.absolute_path)
            if self._is_open(path) and self._is_at(path, error.instance):
                self._put(path, error, correction)
        return bool(self._corrected_paths)

    def _put(self, path: Path, error: ValidationError, correction: Callable[[ValidationError], Any]) -> None:
        container, key = self._place(path)
        new = correction(error)
        if new is not NO_CORRECTION:
            container[key] = new
        elif error.instance is None and isinstance(container, dict):
            del container[key]  # the next round checks for required names
        else:
            return
        self._corrected_paths.add(path)

    def _is_open(self, path: Path) -> bool:
        return not any(path[:length] in self._corrected_paths for length in range(len(path) + 1))

    def _is_at(self, path: Path, instance: Any) -> bool:
        """Return whether the error is about the value at its path. An error of `propertyNames` is about a name instead."""
        value = self._original
        for key in path:
            value = value[key]
        return value is instance

    def _place(self, path: Path) -> tuple[Any, Any]:
        """Return the container of the value at `path`, and the value's key in it."""
        *steps, key = (0, *path)
        container: Any = self._root
        for step in steps:
            container = container[step]
        return container, key


def _is_union(error: ValidationError) -> bool:
    return error.validator in ("anyOf", "oneOf") and error.instance is not None


def _simple_correction(error: ValidationError) -> Any:
    constraint: Any = error.validator_value
    match error.validator:
        case "type":
            return as_type(error.instance, [constraint] if isinstance(constraint, str) else constraint)
        case "enum":
            return match_enum_value(error.instance, constraint)
        case "const":
            return match_enum_value(error.instance, [constraint])
        case _:
            return NO_CORRECTION


def _union_correction(validator: Validator, error: ValidationError) -> Any:
    """Return the value corrected for the one branch that it can be made to fit.

    Returns NO_CORRECTION when there is no such branch, or several that mean different things.
    """
    if not error.context:
        return NO_CORRECTION  # oneOf: several branches fit already
    branches: Any = error.validator_value
    fits = []
    for branch in branches:
        value, is_valid = _correct(validator.evolve(schema=branch), error.instance)
        if is_valid:
            fits.append((_distance(error.instance, value), value))
    closest = [value for distance, value in fits if distance == min(distance for distance, _ in fits)]
    return closest[0] if closest and all(json_equal(closest[0], other) for other in closest) else NO_CORRECTION


def _distance(value: Any, result: Any) -> int:
    """Return how much a correction changed: 0 for an equal value, 1 for another value, 2 for wrapping it in a list."""
    if json_equal(value, result):
        return 0
    return 2 if isinstance(result, list) and not isinstance(value, list) else 1


@cache
def _validators(draft: type[Validator]) -> tuple[Any, Any]:
    """Return two validators for the draft, both with a limit on their work; the second rejects floats as integers."""
    checks = {name: _with_check_limit(_without_regex_check(name, check)) for name, check in draft.VALIDATORS.items()}
    validator_class = extend(draft, checks)  # type: ignore[no-untyped-call]  # no types
    integers = validator_class.TYPE_CHECKER.redefine("integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool))
    return validator_class, extend(validator_class, type_checker=integers)  # type: ignore[no-untyped-call]


def _with_check_limit(check: Callable[..., Any]) -> Callable[..., Any]:
    def limited_check(*arguments: Any) -> Any:
        left = _checks_left.get()
        if left <= 0:
            raise _CheckLimitExceeded
        _checks_left.set(left - 1)
        return check(*arguments)

    return limited_check


def _without_regex_check(name: str, check: Callable[..., Any]) -> Callable[..., Any]:
    """Return the keyword's check, or one that reports nothing where it would have to apply a regular expression."""

    def other_names(validator: Validator, constraint: Any, instance: Any, schema: Any) -> Any:
        return () if "patternProperties" in schema else check(validator, constraint, instance, schema)

    if name in UNCHECKED_KEYWORDS:
        return lambda *_: ()
    return other_names if name == "additionalProperties" else check
