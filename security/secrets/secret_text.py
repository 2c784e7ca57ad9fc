"""SecretText: a secret value in memory that can't be printed, serialized or copied by accident."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex, final

MASK = "<secret>"


@final
class SecretText:
    """A secret. Only `reveal()` returns it. Formatting shows a placeholder; JSON, pickle and deep copies fail."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return MASK

    def __str__(self) -> str:
        return MASK

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError("A secret is not copied or pickled.")
