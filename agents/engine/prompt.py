"""The system prompt: sections in XML tags, the stable ones first so that a provider's prompt cache keeps them (SPEC 2.10, 3.13)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agents.engine.messages import SystemPrompt

_SECTION_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a system prompt, `<name>text</name>`; a section without text is left out. Raises ValueError for a bad name."""

    name: str
    text: str

    def __post_init__(self) -> None:
        if not _SECTION_NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} is no name of a prompt section.")


def compose(stable: Iterable[Section], changing: Iterable[Section] = ()) -> SystemPrompt:
    """A system prompt of the given sections, in their order."""
    return SystemPrompt(_render(stable), _render(changing))


def _render(sections: Iterable[Section]) -> str:
    return "\n\n".join(f"<{section.name}>\n{section.text.strip()}\n</{section.name}>" for section in sections if section.text.strip())
