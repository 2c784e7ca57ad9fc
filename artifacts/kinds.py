"""The kinds of artifacts: one entry per kind. The client's twin is in frontend/src/artifacts."""

from __future__ import annotations

from dataclasses import dataclass

from artifacts.errors import UnknownKind


@dataclass(frozen=True, slots=True)
class ArtifactKind:
    """`fence_languages`: info strings of a code fence that a model may wrap around a whole answer of this kind."""

    name: str
    fence_languages: frozenset[str]


TEXT = ArtifactKind("text", frozenset({"markdown", "md"}))
KINDS = {kind.name: kind for kind in (TEXT,)}


def kind_get(name: str) -> ArtifactKind:
    """Raises UnknownKind."""
    try:
        return KINDS[name]
    except KeyError:
        raise UnknownKind from None
