"""Parley's own templates: the files in `starter_set/`, read once per process. They belong to no organization and improve with a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final
from uuid import UUID, uuid5

import yaml

from gallery.models import TemplateKind
from gallery.placeholders import Placeholder, placeholders_check

FOLDER: Final = Path(__file__).parent / "starter_set"
_NAMESPACE: Final = UUID("5f0b4e6a-6a0e-4d0c-9a53-0d5b8c1f7e21")
_BY_KIND: Final = [*TemplateKind]


@dataclass(frozen=True, slots=True)
class Starter:
    """One template of the set. Its id follows from its file's name, so that it stays the same."""

    id: UUID
    kind: TemplateKind
    title: str
    description: str
    category: str
    body: str
    placeholders: tuple[Placeholder, ...]


@cache
def starters() -> Mapping[UUID, Starter]:
    """Return the set by id: documents first, then by title."""
    templates = sorted(map(_read, FOLDER.glob("*.yaml")), key=lambda one: (_BY_KIND.index(one.kind), one.title))
    return {starter.id: starter for starter in templates}


def _read(path: Path) -> Starter:
    """Raises ValueError, yaml.YAMLError and BadRequest, which the tests of the set find."""
    content = yaml.safe_load(path.read_text("utf-8"))
    placeholders = [Placeholder(name=name, **fields) for name, fields in content.get("placeholders", {}).items()]
    return Starter(
        id=uuid5(_NAMESPACE, path.stem),
        kind=TemplateKind(content["kind"]),
        title=content["title"],
        description=content["description"],
        category=content["category"],
        body=content["body"],
        placeholders=tuple(placeholders_check(content["body"], placeholders, all_gaps=False)),
    )
