"""What is wrong with settings that a pydantic model describes, field by field, and the HTTP methods that they offer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic import ValidationError

HTTP_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


def schema_problems(error: ValidationError) -> Iterator[tuple[str | None, str]]:
    """Yield each invalid field (None: several together) and the reason."""
    for problem in error.errors():
        yield (str(problem["loc"][0]) if problem["loc"] else None), problem["msg"].removeprefix("Value error, ")
