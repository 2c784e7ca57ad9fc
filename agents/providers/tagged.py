"""What entries that nobody typed look like in a model's context: text in a tag that the text itself can't close.

The same for every provider, so that prompts may speak of these tags.
"""

from __future__ import annotations

import re
from html import escape

from agents.engine.messages import CompactedHistory, File, NoToolCallRetry, Reminder


def tagged_text(entry: File | Reminder | NoToolCallRetry | CompactedHistory) -> str:
    match entry:
        case File(name=name, media_type=media_type, text=text):
            return _in_tag("file", text, f' name="{escape(name)}" type="{escape(media_type)}"')
        case Reminder(text=text) | NoToolCallRetry(text=text):
            return _in_tag("reminder", text)
        case CompactedHistory(text=text):
            return _in_tag("compacted_history", text)


def _in_tag(tag: str, text: str, attributes: str = "") -> str:
    # Only the closing tag is changed: escaping a whole file would make its code hard to read.
    harmless = re.sub(rf"<(?=\s*/\s*{tag}\b)", "&lt;", text, flags=re.IGNORECASE)
    return f"<{tag}{attributes}>\n{harmless}\n</{tag}>"
