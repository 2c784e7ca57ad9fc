"""What the demo puts in place of a selected part: quoted words are replaced, a text is changed as documents are, code is marked."""

from __future__ import annotations

import re

from doubles.demo import edits

_QUOTED = re.compile('["\'`\u201c\u2018]([^"`\u201d\u2019]+?)["\'`\u201d\u2019]')


_COMMENTS = {"Python agent": "#", "diagram agent": "%%"}


def replace_selection(selection: str, instruction: str, system: str) -> str:
    """What is to stand there. `system`: the prompt, which says whose text it is."""
    words = _QUOTED.findall(instruction)
    if len(words) == 2 and words[0] in selection:
        return selection.replace(words[0], words[1])
    comment = next((mark for agent, mark in _COMMENTS.items() if agent in system), "")
    return f"{comment} {' '.join(instruction.split())}\n{selection}" if comment else edits.apply_change(selection, instruction)
