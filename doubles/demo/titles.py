"""Short titles made from a user's text."""

from __future__ import annotations

import re

from doubles.demo.showcase import piece_for

_ROLE = re.compile(r"^\W*(?:user|human|assistant|model)\W*:\s*|^<[^>]+>\s*", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:please|hey|hi|hello|ok|okay|so|and|now|can you|could you|would you|will you|i want to|i would like to|i need to|i need|help me|let us|let's"
    r"|tell me|show me|give me|explain(?: to me)?|write(?: me)?|draft(?: me)?|make(?: me)?|create(?: me)?|a|an|the|some|about|me)\b[\s,!.:]*",
    re.IGNORECASE,
)

_LOOSE_END = re.compile(
    r"(?:\s+(?:a|an|the|of|in|on|for|to|and|or|with|about|that|how))+$", re.IGNORECASE
)  # what a title that is cut ends with


def conversation_title(conversation: str) -> str:
    """Return a title of three to six words from the conversation's first message."""
    first = next((_ROLE.sub("", line).strip() for line in conversation.splitlines() if _ROLE.sub("", line).strip()), "")
    if piece := piece_for(first):
        return piece.chat_title
    words = without_lead(first).split()
    if len(words) < 2:
        return f"A chat about {words[0].lower()}" if words and len(words[0]) > 2 else "A first friendly chat"
    if len(words) == 2:
        return f"Talking about {' '.join(words)}"
    return headline(_LOOSE_END.sub("", " ".join(words[:6])))


def headline(text: str) -> str:
    """Return `text` on one line, capitalized and without final punctuation."""
    plain = " ".join(text.split()).strip(" .,;:!?\"'")
    return plain[:1].upper() + plain[1:]


def without_lead(text: str) -> str:
    """Return `text` without the polite words at its beginning."""
    while (shorter := _LEAD.sub("", text, count=1)) != text:
        text = shorter
    return text.strip(" .,;:!?\"'`*#/")
