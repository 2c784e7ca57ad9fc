"""The demo's reaction to a message in the middle of an answer (SPEC 3.10), and a slow story that leaves time for one, or for Stop."""

from __future__ import annotations

import re

from doubles.demo import samples
from doubles.demo.conversation import ConversationState
from doubles.script import Item, Pause, Text

PAUSE_S = 0.8  # between two sentences

STORY = """\
This is a slow story from the demo provider: write something while it comes, or press Stop.

A lighthouse keeper found a door at the foot of her tower. It had not been there the day before. The wood was dry, although it had rained all night. \
She knocked, because that is what one does with doors. Somebody knocked back.

She thought about it over a cup of tea. The knocking had been polite, three times and not too loud. So she wrote a note and pushed it under the door. \
The note asked whether anything was needed. After a while the note came back with a single word on it: light.

That evening she turned the lamp around, away from the sea. The beam fell down the stairs and under the door. Behind it somebody laughed with relief. \
Out on the water three fishing boats waited a little and wondered. Then the lamp swung back, and they came home by it.

In the morning the door was gone. On the step lay a small brass key. She hung it on the nail beside the window. It fits nothing in the house, and she \
has never tried to lose it.

Every year, in the same night, she turns the lamp for one minute. Nobody has complained so far. The boats have learned to wait. And that is the end \
of the story.
"""
_LEAD = re.compile(r"^You (?:said in between|wrote while I was working): .*\n\n")
_COMPLETE_TEXTS = (STORY, *samples.ALL)


def slow_story() -> list[Item]:
    """Return the story sentence by sentence. The joined texts are STORY."""
    items: list[Item] = []
    for sentence in re.findall(r"[^.!?]+[.!?]\s*", STORY):
        items += [Text(sentence), Pause(PAUSE_S)]
    return items[:-1]


def interjection_lead(conversation: ConversationState) -> str:
    """Return the first words of a reply to a message that interrupted an answer or a tool; "" when it did not."""
    if _is_unfinished(conversation.model_text_before):
        return f"You said in between: \u201c{_quote(conversation.text)}\u201d; so I go on with that.\n\n"
    last = conversation.before[-1].value if conversation.before and conversation.before[-1].kind == "result" else None
    if isinstance(last, dict) and str(last.get("error", "")).startswith(("Interrupted", "Not run: the user was asked")):
        return f"You wrote while I was working: \u201c{_quote(conversation.text)}\u201d; so I leave that and go on with your message.\n\n"
    return ""


def _is_unfinished(text: str) -> bool:
    """Return whether the text is an incomplete beginning of one of the demo's own texts.

    The wire does not distinguish partial answers from complete ones.
    """
    text = _LEAD.sub("", text).strip()
    return bool(text) and any(
        complete.startswith(text) and len(text) < len(complete.strip()) for complete in map(str.strip, _COMPLETE_TEXTS)
    )


def _quote(text: str) -> str:
    return " ".join(text.split())[:200]
