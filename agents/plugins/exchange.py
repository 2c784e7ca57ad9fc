"""The newest exchange of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.engine.messages import Entry, UserMessage
from agents.runtime.message_tool import visible_text


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user wrote last, and the assistant's last text after it; each empty when there is none."""

    question: str = ""
    answer: str = ""


def last_exchange(entries: Sequence[Entry]) -> Exchange:
    answer = ""
    for entry in reversed(entries):
        if isinstance(entry, UserMessage):
            return Exchange(entry.text, answer)
        answer = answer or visible_text(entry).strip()
    return Exchange(answer=answer)
