"""What becomes of a person's claims: a role and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

MAX_VALUES = 1000  # of a claim


class Rule(BaseModel):
    """If the claim has a value like this: the first rule that fits sets the role, and all that fit give their groups.

    Owners are never made by a claim.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: str = Field(min_length=1, max_length=200)  # `*` stands for any letters
    role: Literal["admin", "auditor", "member", "viewer"]
    group_id: UUID | None = None


MAX_RULES = 100
Rules = TypeAdapter(Annotated[tuple[Rule, ...], Field(max_length=MAX_RULES)])


def rules_of(rows: Any) -> tuple[Rule, ...]:
    return Rules.validate_python(rows or [])


def claim_values(claims: Mapping[str, Any], name: str) -> list[str]:
    """Return the values of a claim; dots lead into objects, as in Keycloak's `realm_access.roles`."""
    claim: Any = claims.get(name)
    if claim is None:
        claim = claims
        for part in name.split("."):
            claim = claim.get(part) if isinstance(claim, Mapping) else None
    values = claim if isinstance(claim, list) else [claim]
    return [value for value in values if isinstance(value, str)][:MAX_VALUES]


def rules_for(rules: Sequence[Rule], values: Sequence[str]) -> list[Rule]:
    """Return the rules that fit one of the values."""
    return [rule for rule in rules if any(_fits(rule.value, value) for value in values)]


def _fits(pattern: str, value: str) -> bool:
    return fnmatchcase(value, pattern.replace("[", "[[]").replace("?", "[?]"))
