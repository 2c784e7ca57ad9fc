"""A message that came into the middle of an answer: the demo shows that it was read (SPEC 3.10)."""

from __future__ import annotations

import re

from doubles.demo import samples, story
from doubles.demo.conversation import ConversationState

_LEAD = re.compile(r"^You (?:said in between|wrote while I was working): .*\n\n")
_COMPLETE_TEXTS = (story.STORY, *samples.ALL)


def interjection_lead(conversation: ConversationState) -> str:
    """The first words of a reply to a message that interrupted something; "" when it did not."""
    if _is_unfinished(conversation.model_text_before):
        return f"You said in between: \u201c{_quoted(conversation.text)}\u201d; so I go on with that.\n\n"
    last = conversation.before[-1].value if conversation.before and conversation.before[-1].kind == "result" else None
    if isinstance(last, dict) and str(last.get("error", "")).startswith(("Interrupted", "Not run: the user was asked")):
        return f"You wrote while I was working: \u201c{_quoted(conversation.text)}\u201d; so I leave that and go on with your message.\n\n"
    return ""


def _is_unfinished(said: str) -> bool:
    """Whether it is the beginning of one of the demo's own texts and no more: the wire does not tell partial answers from whole ones."""
    said = _LEAD.sub("", said).strip()
    return bool(said) and any(whole.startswith(said) and len(said) < len(whole.strip()) for whole in map(str.strip, _COMPLETE_TEXTS))


def _quoted(text: str) -> str:
    return " ".join(text.split())[:200]
