"""Checks that a plugin class can't keep state between calls (SPEC 3.15)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from enum import Enum
from types import FunctionType, MemberDescriptorType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from pydantic import BaseModel

from security.secrets.secret_text import SecretText

ATOMS = (str, int, float, bool, bytes, UUID, NoneType, SecretText, Enum)
CONTAINERS = (tuple, frozenset, Union, UnionType)
CLASS_VALUES = (
    *(str, int, float, bool, bytes, NoneType, tuple, frozenset),
    *(FunctionType, classmethod, staticmethod, property, MemberDescriptorType),
)


def state_problem(plugin: type[Any], settings: type[BaseModel]) -> str | None:
    """Return why the class or its instances could keep state between calls; None when they can't."""
    own = vars(plugin)
    if "__dataclass_params__" not in own or not _is_frozen(plugin) or "__slots__" not in own:
        return f"{plugin.__name__} must be a frozen dataclass with slots."
    hints = get_type_hints(plugin) | {"settings": settings}
    fields = [field.name for field in dataclasses.fields(plugin) if not is_immutable(hints[field.name])]
    values = [name for name, value in own.items() if not name.startswith("__") and not isinstance(value, CLASS_VALUES)]
    return f"{plugin.__name__} could keep state in {', '.join(fields + values)}." if fields or values else None


def is_immutable(hint: Any) -> bool:
    """Return whether values of this type can't change."""
    origin = get_origin(hint)
    if origin is Literal:
        return True
    if origin in CONTAINERS:
        return all(argument is Ellipsis or is_immutable(argument) for argument in get_args(hint))
    if not isinstance(hint, type):
        return False
    if issubclass(hint, BaseModel):
        return bool(hint.model_config.get("frozen")) and _all_immutable(hint, hint.model_fields)
    if dataclasses.is_dataclass(hint):
        return _is_frozen(hint) and _all_immutable(hint, [field.name for field in dataclasses.fields(hint)])
    return issubclass(hint, ATOMS)


def _all_immutable(owner: type[Any], names: Iterable[str]) -> bool:
    hints = get_type_hints(owner)
    return all(is_immutable(hints[name]) for name in names)


def _is_frozen(owner: Any) -> bool:
    return bool(owner.__dataclass_params__.frozen)
