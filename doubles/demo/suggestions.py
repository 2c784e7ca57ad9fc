"""What a person might ask next, after an exchange with the demo."""

from __future__ import annotations

import json
import re

from doubles.demo.documents import topic_of
from doubles.demo.titles import without_lead

_DOCUMENT = re.compile(r"\bI (?:wrote|changed) \*\*")
_TAG = re.compile(r"<(user|assistant)>(.*?)</\1>", re.DOTALL)
_TOPIC_WORDS = 6


def suggestions(exchange: str) -> str:
    """A JSON list of three messages that the demo itself can answer."""
    said = dict(_TAG.findall(exchange))
    if _DOCUMENT.search(said.get("assistant", "")):
        return json.dumps(["Make it shorter.", "Add a section about the next steps.", "Show me a table."])
    return json.dumps([f"Write a short document about {_topic(said.get('user', ''))}.", "Show me a table.", "What else can I try?"])


def _topic(question: str) -> str:
    words = (topic_of(question) or without_lead(question)).split()
    return " ".join(words[:_TOPIC_WORDS]).strip(" .,;:!?\"'") or "this conversation"
