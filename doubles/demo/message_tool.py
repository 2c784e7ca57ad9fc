"""The demo's use of the tool `message`: asking, telling how far it is, and answering where an agent must answer with it (SPEC 3.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from doubles.demo.situation import Situation
from doubles.script import Call, Fault, Item, Text

MESSAGE = "message"
QUESTION = "Which colour do you like?"

_ASK = re.compile(r"\bask me (?:something|anything|a question)\b", re.IGNORECASE)
_MUST_ANSWER_WITH_IT = re.compile(rf"`{MESSAGE}`[^.]{{0,80}}\bresult\b", re.IGNORECASE)


def question_scene(now: Situation) -> list[Item] | None:
    """Ask when the user wants to be asked; take up the reply."""
    if now.asked_before.get("text") == QUESTION and not now.since:
        return [
            Text(
                f"You like **{now.text.strip(' .!')}**. The demo provider will remember that for the rest of this conversation, and no longer."
            )
        ]
    if not _ASK.search(now.text) or now.since:
        return None
    if MESSAGE in now.tools:
        return [Call(MESSAGE, {"type": "question", "text": QUESTION})]
    return [Text(f"{QUESTION} (This agent has no tool `message`, so the demo provider asks in its answer.)")]


def sent_by_message(items: list[Item], now: Situation) -> list[Item]:
    """A final answer as a call of the tool where that is wanted; anything else as it is."""
    if not _is_wanted(now) or not any(isinstance(item, Text) for item in items) or any(isinstance(item, Call | Fault) for item in items):
        return items
    text = "".join(item.text for item in items if type(item) is Text)
    others = [item for item in items if type(item) is not Text]
    return [*others, Call(MESSAGE, {"type": "result", "text": text})]


def _is_wanted(now: Situation) -> bool:
    told: Sequence[str] = [now.system_text, *now.reminders]
    return MESSAGE in now.tools and (now.must_call or any(_MUST_ANSWER_WITH_IT.search(text) for text in told))
