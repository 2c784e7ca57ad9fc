"""What the demo's artifact agents write. The filled prompts tell which agent is asked, and for which operation.

Suggestions for a document are limited to what a script can honestly propose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from doubles.demo import diagrams, documents, programs
from doubles.demo.documents import replace_selection, topic_of
from doubles.demo.titles import headline
from doubles.script import Item, Pause, ReceivedRequest, Text, Thought

MAX_SUGGESTIONS = 5
_SENTENCE = re.compile(r"[A-Z][^.!?\n|#>*`\[\]]{50,300}[.!?](?=\s|$)")
_GAP = re.compile(r"\[[^\[\]\n]{5,120}\](?!\()")
PAUSE_S = 0.4  # between two suggestions
_THOUGHT = Thought("**Planning the document**\n\nThe instruction names the subject; I choose an outline and write section by section.\n\n")


def review(content: str) -> list[str]:
    """Return one line of JSON per suggestion, in the document's order. Each quote occurs only once in it."""
    proposals = sorted({quote: (place, line) for place, quote, line in _proposals(content) if content.count(quote) == 1}.values())
    return [line for _, line in proposals[:MAX_SUGGESTIONS]]


def _proposals(content: str) -> Iterator[tuple[int, str, str]]:
    if (title := re.search(r"^# (.+)$", content, re.MULTILINE)) and not title[1].endswith(": an overview"):
        yield _line(title.start(), title[0], f"# {headline(title[1])}: an overview", "Says what kind of text this is.")
    for gap in _GAP.finditer(content):
        yield _line(gap.start(), gap[0], "(to be confirmed)", "A fact is missing here.")
    for sentence in _SENTENCE.finditer(content):
        first, comma, rest = sentence[0].partition(", ")
        if comma and len(first) > 25 and len(rest) > 15:
            yield _line(sentence.start(), sentence[0], f"{first}.", "Shorter: one thought in one sentence.")


def _line(place: int, original: str, replacement: str, comment: str) -> tuple[int, str, str]:
    return place, original, json.dumps({"original": original, "replacement": replacement, "comment": comment}, ensure_ascii=False) + "\n"


def artifact_items(request: ReceivedRequest) -> list[Item] | None:
    """Return the answer; None when the request is not to an artifact agent."""
    system, prompt = request.system_text, request.user_text
    if "one selected part" in system:
        return [Text(replace_selection(tag_content("selection", prompt) or "", tag_content("instruction", prompt) or "", system))]
    if "Python agent" in system:
        return [Text(_program(system, prompt))]
    if "diagram agent" in system:
        return [Text(_diagram(prompt))]
    if "document agent" not in system.lower() and "<instruction>" not in prompt:
        return None
    if "you suggest changes" in system:
        return _suggestions(tag_content("current_content", prompt) or "")
    return [_THOUGHT, Text(_document(prompt))]


def _program(system: str, prompt: str) -> str:
    code, instruction = _code(prompt), tag_content("instruction", prompt) or prompt
    if code is None:
        return programs.SNIPPET if "shown in the chat" in system else programs.program(instruction)
    if "You explain a Python program" in system:
        return programs.explain(code)
    error = tag_content("error_message", prompt)
    return programs.apply_change(code, instruction) if error is None else programs.repair(code, error)


def _diagram(prompt: str) -> str:
    code, instruction = _code(prompt), tag_content("instruction", prompt) or prompt
    if code is None:
        return diagrams.diagram(instruction, topic_of(instruction) or tag_content("title", prompt) or "")
    error = tag_content("error_message", prompt)
    return diagrams.apply_change(code, instruction) if error is None else diagrams.repair(code, error)


def _code(prompt: str) -> str | None:
    """Return the current code with a line break at its end."""
    code = tag_content("current_code", prompt)
    return None if code is None else f"{code}\n"


def _suggestions(content: str) -> list[Item]:
    items: list[Item] = []
    for line in review(content):
        items += [Text(line), Pause(PAUSE_S)]
    return items[:-1] or [Text("[]")]


def _document(prompt: str) -> str:
    """Return the document's complete new text, from the filled template. An admin's own template may lack any of the tags."""
    instruction = tag_content("instruction", prompt) or prompt
    current = tag_content("current_content", prompt)
    if current:
        return documents.apply_change(current, instruction)
    return documents.write_document(tag_content("title", prompt) or "", instruction)


def tag_content(tag: str, text: str) -> str | None:
    """Return the stripped content of a tag; None when the text has no such tag."""
    # Greedy: a document may itself hold the closing tag.
    match = re.search(rf"<{tag}>(.*)</{tag}>", text, re.DOTALL)
    return match.group(1).strip() if match else None
