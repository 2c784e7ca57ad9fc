"""A problem in a text that an artifact agent wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem, with its place."""

    text: str  # a sentence for the model and for people
    line: int  # from 1

    def __str__(self) -> str:
        return f"Line {self.line}: {self.text}"

    def as_metadata(self) -> dict[str, Any]:
        return {"problem": self.text, "line": self.line}
