"""Wraps entries that nobody typed in tags for the model's context, such as <file> and <reminder>.

The text inside can neither close such a tag nor open one. The tags are the same for every provider, so prompts may refer to them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

from agents.messages import CompactedHistory, ContextData, File, NoToolCallRetry, Reminder

# Only these tags are escaped: escaping the whole file would make its code hard to read.
_OWN_TAG = re.compile(r"<(?=\s*/?\s*(?:file|reminder|artifacts|page_state|compacted_history)\b)", re.IGNORECASE)


def entry_as_tag(entry: File | Reminder | ContextData | NoToolCallRetry | CompactedHistory) -> str:
    """Return the entry as text in its tag."""
    match entry:
        case File(name=name, media_type=media_type, text=text):
            made_by = ' by="assistant"' if entry.source == "assistant" else ""
            return _wrap_in_tag("file", text, f' name="{escape(name)}" type="{escape(media_type)}"{made_by}')
        case Reminder(text=text) | NoToolCallRetry(text=text):
            return _wrap_in_tag("reminder", text)
        case ContextData(name=name, text=text):
            return _wrap_in_tag(name, text)
        case CompactedHistory(text=text):
            return _wrap_in_tag("compacted_history", text)


def file_label(file: File) -> str:
    """Return the label in front of an image, which has no name of its own on the wire."""
    return entry_as_tag(replace(file, text="The image follows."))


def _wrap_in_tag(tag: str, text: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>\n{_OWN_TAG.sub('&lt;', text)}\n</{tag}>"
