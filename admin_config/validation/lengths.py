"""Limits of the texts that agents are given. They bound what one save, one release and one model request can carry."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.deconstruct import deconstructible
from django.utils.translation import gettext

from tenants.localization.figures import figure

MAX_PROMPT_CHARS = 100_000
MAX_DESCRIPTION_CHARS = 4_000


@deconstructible
class LengthLimit:
    """Checks a text's length. The error names the field, because problems of a draft are shown without it.

    A validator instead of `max_length`, with which a browser cuts a pasted text off without a word.
    """

    def __init__(self, field: str, limit: int) -> None:
        self.field = field
        self.limit = limit

    def __call__(self, text: str) -> None:
        if len(text) > self.limit:
            raise ValidationError(
                gettext("The %(field)s may have at most %(limit)s characters; it has %(number)s.")
                % {"field": self.field, "limit": figure(self.limit), "number": figure(len(text))}
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LengthLimit) and (self.field, self.limit) == (other.field, other.limit)

    def __hash__(self) -> int:
        return hash((self.field, self.limit))
