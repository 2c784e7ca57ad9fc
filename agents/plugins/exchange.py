"""The newest exchange of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.engine.messages import AssistantText, Entry, UserMessage


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user wrote last, and the assistant's last text after it; each empty when there is none."""

    question: str = ""
    answer: str = ""


def last_exchange(entries: Sequence[Entry]) -> Exchange:
    answer = ""
    for entry in reversed(entries):
        match entry:
            case AssistantText(text=text) if not answer:
                answer = text.strip()
            case UserMessage(text=question):
                return Exchange(question, answer)
            case _:
                pass
    return Exchange(answer=answer)
