"""The demo chat agent's calls of agents that write artifacts, and its summaries of their results."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from doubles.demo.conversation import ConversationState, Event, newest_artifact
from doubles.demo.documents import topic_of
from doubles.demo.showcase import piece_for
from doubles.demo.titles import headline, without_lead
from doubles.script import Call, Item, Text

DOCUMENT_AGENT = "document_agent"
PYTHON_AGENT = "python_agent"
MERMAID_AGENT = "mermaid_agent"
AGENTS = {"text": DOCUMENT_AGENT, "python": PYTHON_AGENT, "mermaid": MERMAID_AGENT}
NOUNS = {"text": "document", "python": "program", "mermaid": "diagram"}

_KIND = r"(?:document|essay|report|letter|article|memo|brief|plan|proposal|summary|guide|tutorial|checklist|e-?mail|blog post|story|note|agenda|text)s?"
_MAKE = r"\b(?:write|draft|compose|prepare|create|make|draw|sketch|show|build)\b"
_DOCUMENT = re.compile(rf"\b(?:write|draft|compose|prepare|create|make)\b.{{0,60}}?\b{_KIND}\b", re.IGNORECASE | re.DOTALL)
_PROGRAM = re.compile(
    rf"{_MAKE}.{{0,60}}?\b(?:python|script|program)\b(?!.{{0,20}}\b(?:document|report|article)\b)", re.IGNORECASE | re.DOTALL
)
_DIAGRAM = re.compile(
    rf"{_MAKE}.{{0,60}}?\b(?:diagram|flow ?chart|gantt|pie chart|git graph|mind ?map|user journey)s?\b", re.IGNORECASE | re.DOTALL
)
_INLINE = re.compile(r"\b(?:snippet|one[- ]liner|in (?:the|your) (?:chat|answer)|small)\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:shorter|shorten|longer|lengthen|expand|extend|change|rewrite|rephrase|add|translate|update|edit|replace|remove|improve|rename|revise|trim)\b",
    re.IGNORECASE,
)
_NEW = re.compile(r"\b(?:new|another|second)\b", re.IGNORECASE)
_SUGGEST = re.compile(r"\b(?:suggest|propose)\b|\bsuggestions?\b", re.IGNORECASE)
_EXPLAIN = re.compile(r"\bexplain\b.{0,40}\b(?:program|code|script|it)\b", re.IGNORECASE | re.DOTALL)
_REVERT = re.compile(r"\b(?:revert|undo|go back|(?:former|previous|earlier) version)\b", re.IGNORECASE)
_FIX = re.compile(r"\b(?:fix|mend|repair)\b|Traceback \(most recent call last\)|\b(?:Parse|Syntax) ?error\b", re.IGNORECASE)
_FENCED = re.compile(r"```[^\n]*\n(.*?)\n?```", re.DOTALL)
_TITLE_IN_ERROR = re.compile(r"\berror in [\"“]?(.+?)[\"”]?:", re.IGNORECASE)


@dataclass(frozen=True)
class _ArtifactCall:
    agent: str
    arguments: dict[str, str]

    @property
    def noun(self) -> str:
        return next(NOUNS[kind] for kind, agent in AGENTS.items() if agent == self.agent)


def artifact_call(conversation: ConversationState) -> list[Item]:
    """Return a short text and a call; empty when the message asks for no artifact."""
    order = _call_for_existing(conversation) or _call_for_new(conversation.text)
    if order is None or order.agent not in conversation.tools:
        return []
    beginning = _LEADS[order.arguments["operation"]].format(noun=order.noun)
    return [*([Text(beginning)] if beginning else []), Call(order.agent, order.arguments)]


_LEADS = {
    "create": "",
    "generate": "I'll write that right here.",
    "update": "I'll change the {noun}.",
    "fix": "I'll fix the {noun}.",
    "explain": "I'll have a look at the {noun}.",
    "suggestion": "I'll read the {noun} and suggest what could be better.",
    "revert": "I'll bring the former version of the {noun} back.",
}


def _call_for_existing(conversation: ConversationState) -> _ArtifactCall | None:
    """Return a call for the latest artifact, or for the newest one that the words fit."""
    newest = newest_artifact(conversation.before)
    text = conversation.text
    if newest is None:
        return None
    if _FIX.search(text) and (artifact := _artifact_to_fix(conversation)):
        return _call_for(artifact, "fix", error_message=_error(text), instruction=text)
    if _SUGGEST.search(text) and (document := _newest_of("text", conversation.before)):
        return _call_for(document, "suggestion", instruction=text)
    if _EXPLAIN.search(text) and (program := _newest_of("python", conversation.before)):
        return _call_for(program, "explain", instruction=text)
    if _REVERT.search(text):
        return _call_for(newest, "revert")
    is_change = _CHANGE.search(text) and not _NEW.search(text) and not _wants_other_kind(text, newest)
    return _call_for(newest, "update", instruction=text) if is_change else None


def _wants_other_kind(text: str, newest: dict[str, Any]) -> bool:
    """Return whether the words ask for a kind other than the newest artifact's."""
    kind = "python" if _PROGRAM.search(text) else "mermaid" if _DIAGRAM.search(text) else newest.get("kind")
    return kind != newest.get("kind")


def _call_for_new(text: str) -> _ArtifactCall | None:
    if _DIAGRAM.search(text):
        agent = MERMAID_AGENT
    elif _PROGRAM.search(text):
        agent = PYTHON_AGENT
    elif _DOCUMENT.search(text):
        agent = DOCUMENT_AGENT
    else:
        return None
    if agent != DOCUMENT_AGENT and _INLINE.search(text):
        return _ArtifactCall(agent, {"operation": "generate", "instruction": text})
    piece = piece_for(text)
    title = piece.title if piece and piece.title else headline(topic_of(text) or without_lead(text))[:80] or "New document"
    return _ArtifactCall(agent, {"operation": "create", "title": title, "instruction": text})


def _call_for(artifact: dict[str, Any], operation: str, **arguments: str) -> _ArtifactCall:
    agent = AGENTS.get(str(artifact.get("kind", "text")), DOCUMENT_AGENT)
    return _ArtifactCall(agent, {"operation": operation, "artifact_id": str(artifact["id"]), **arguments})


def _artifact_to_fix(conversation: ConversationState) -> dict[str, Any] | None:
    """Return the program or diagram that the message names, else the newest one."""
    match = _TITLE_IN_ERROR.search(conversation.text)
    artifacts = [artifact for artifact in _written_artifacts(conversation.before) if artifact.get("kind") in ("python", "mermaid")]
    matches = [artifact for artifact in artifacts if match and artifact.get("title") == match[1]]
    return next(reversed(matches or artifacts), None)


def _newest_of(kind: str, events: Iterable[Event]) -> dict[str, Any] | None:
    return next((artifact for artifact in reversed(_written_artifacts(events)) if artifact.get("kind", "text") == kind), None)


def _written_artifacts(events: Iterable[Event]) -> list[dict[str, Any]]:
    return [event.value for event in events if event.kind == "result" and isinstance(event.value, dict) and "id" in event.value]


def _error(text: str) -> str:
    match = _FENCED.search(text)
    return match[1].strip() if match and match[1].strip() else text


def artifact_summary(event: Event) -> str | None:
    """Return a summary of the result; None when it is not an artifact agent's."""
    result: dict[str, Any] = event.value if isinstance(event.value, dict) else {}
    operation = result.get("operation")
    if "error" in result or event.tool not in AGENTS.values():
        return None
    if "text" in result:
        fence = {PYTHON_AGENT: "python", MERMAID_AGENT: "mermaid"}.get(event.tool, "")
        return str(result["text"]) if operation == "explain" else f"```{fence}\n{str(result['text']).rstrip()}\n```"
    title, number = result.get("title", "the document"), f" (version {result['version']})" if result.get("version") else ""
    if "problem" in result:
        return f"I wrote **{title}**{number}, but it can't be drawn yet: line {result.get('line')}: {result['problem']}"
    if operation == "suggestion":
        count = result.get("suggestions", 0)
        return f"I made {count} suggestion{'s' * (count != 1)} for **{title}**. Accept or reject each of them in the document; nothing is changed before."
    if operation == "create" and result.get("kind") in _NEXT:
        return _NEXT[result["kind"]]
    return _SUMMARIES[operation].format(title=title, number=number) if operation in _SUMMARIES else None


_NEXT = {
    "python": "Open its Console and press Run to start it in your browser. Ask me to change it, or send me the error if there is one.",
    "mermaid": "You can move, zoom and export it, or ask me to add something.",
}
_SUMMARIES = {
    "update": "I changed **{title}**{number}. The former version is still there: step back with the arrows below it.",
    "fix": "Fixed **{title}**{number}. Run it again.",
    "revert": "**{title}** is again what it was{number}; nothing of what came between is lost.",
}
