"""The demo's use of the tool `message`: asking, telling how far it is, and answering where an agent must answer with it (SPEC 3.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from doubles.demo.conversation import ConversationState
from doubles.script import Call, Fault, Item, Text

MESSAGE = "message"
QUESTION = "Which colour do you like?"

_ASK = re.compile(r"\bask me (?:something|anything|a question)\b", re.IGNORECASE)
_MUST_ANSWER_WITH_IT = re.compile(rf"`{MESSAGE}`[^.]{{0,80}}\bresult\b", re.IGNORECASE)


def question_scene(conversation: ConversationState) -> list[Item] | None:
    """Ask when the user wants to be asked; take up the reply."""
    if conversation.last_call_arguments.get("text") == QUESTION and not conversation.since:
        return [
            Text(
                f"You like **{conversation.text.strip(' .!')}**. The demo provider will remember that for the rest of this conversation, and no longer."
            )
        ]
    if not _ASK.search(conversation.text) or conversation.since:
        return None
    if MESSAGE in conversation.tools:
        return [Call(MESSAGE, {"type": "question", "text": QUESTION})]
    return [Text(f"{QUESTION} (This agent has no tool `message`, so the demo provider asks in its answer.)")]


def through_message_tool(items: list[Item], conversation: ConversationState) -> list[Item]:
    """A final answer as a call of the tool where that is wanted; anything else as it is."""
    if (
        not _must_use_message_tool(conversation)
        or not any(isinstance(item, Text) for item in items)
        or any(isinstance(item, Call | Fault) for item in items)
    ):
        return items
    text = "".join(item.text for item in items if type(item) is Text)
    others = [item for item in items if type(item) is not Text]
    return [*others, Call(MESSAGE, {"type": "result", "text": text})]


def _must_use_message_tool(conversation: ConversationState) -> bool:
    told: Sequence[str] = [conversation.system_text, *conversation.reminders]
    return MESSAGE in conversation.tools and (conversation.must_call or any(_MUST_ANSWER_WITH_IT.search(text) for text in told))
