"""The demo's chat agent: what it says, when it calls the document agent, which errors it plays."""

from __future__ import annotations

import re
from typing import Any

from agents.providers.doubles.demo import samples
from agents.providers.doubles.demo.documents import topic_of
from agents.providers.doubles.demo.titles import headline, without_lead
from agents.providers.doubles.script import Call, Fault, Item, ReceivedRequest, Text, Thought

DOCUMENT_AGENT = "document_agent"

_KIND = r"(?:document|essay|report|letter|article|memo|plan|proposal|summary|guide|tutorial|checklist|e-?mail|blog post|story|note|agenda|text)s?"
_WRITE = re.compile(rf"\b(?:write|draft|compose|prepare|create|make)\b.{{0,60}}?\b{_KIND}\b", re.IGNORECASE | re.DOTALL)
_CHANGE = re.compile(
    r"\b(?:shorter|shorten|longer|lengthen|expand|extend|change|rewrite|rephrase|add|translate|update|edit|replace|remove|improve|rename|revise|trim)\b",
    re.IGNORECASE,
)
_SAMPLES = (
    (r"\b(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you)\b.{0,20}$", samples.GREETING),
    (r"\b(?:search|web|internet|news|browse|github|weather)\b", samples.NOT_YET),
    (r"\b(?:diagram|mermaid|python agent|image|picture)\b", samples.NOT_YET),
    (r"\btables?\b", samples.TABLE),
    (r"\b(?:code|python|javascript|function|program)\b", samples.CODE),
    (r"\b(?:maths?|formulas?|equations?|latex)\b", samples.MATHS),
    (r"\bmarkdown\b", samples.MARKDOWN),
    (r"\b(?:long|detailed)\b", samples.LONG),
)
_FAULTS: dict[str, tuple[Item, ...]] = {
    "busy": (Fault.status(429, retry_after_s=2),),
    "unavailable": (Fault.status(503),),
    "key": (Fault.status(400, reason="API_KEY_INVALID"),),
    "blocked": (Fault.blocked("SAFETY"),),
    "cut": (Text("This answer stops in the middle, as it does when the connection to a provider"), Fault.cut()),
    "midway": (Text("This answer begins well, and then the provider reports"), Fault.mid_stream_error(503)),
}


def chat_items(request: ReceivedRequest) -> list[Item]:
    """The reply to the last thing that happened in the conversation: a tool result or the user's message."""
    results = _results(request.body["contents"][-1])
    if results:
        return [Text(" ".join(_told(result) for result in results))]
    text = request.user_text.strip()
    if text.startswith("/error"):
        return list(_FAULTS.get(text.removeprefix("/error").strip().lower(), (Text(samples.ERRORS),)))
    return [_thought(text), *_reply(text, request)]


def _reply(text: str, request: ReceivedRequest) -> list[Item]:
    if DOCUMENT_AGENT in request.tool_names and (order := _document_order(text, request)):
        return order
    for pattern, sample in _SAMPLES:
        if re.search(pattern, text, re.IGNORECASE):
            return [Text(sample)]
    return [Text(samples.general(text))]


def _document_order(text: str, request: ReceivedRequest) -> list[Item]:
    """A short text and a call of the document agent; empty when the message is about no document."""
    artifact = _last_artifact(request.body["contents"])
    asks_for_new = re.search(r"\b(?:new|another|second)\b", text, re.IGNORECASE)
    if artifact and _CHANGE.search(text) and not asks_for_new:
        return [Text("I'll change the document."), _update(artifact, text)]
    if _WRITE.search(text):
        return [Text("I'll write that as a document beside our chat."), _create(text)]
    return []


def _create(text: str) -> Call:
    title = headline(topic_of(text) or without_lead(text))[:80] or "New document"
    return Call(DOCUMENT_AGENT, {"operation": "create", "title": title, "instruction": text})


def _update(artifact: dict[str, Any], text: str) -> Call:
    return Call(DOCUMENT_AGENT, {"operation": "update", "artifact_id": str(artifact["id"]), "instruction": text})


def _thought(text: str) -> Thought:
    subject = headline(without_lead(text))[:80] or "the message"
    return Thought(
        f"**Reading the request**\n\nThe user writes about: {subject}. I check whether this asks for a document, for a change to one, or for"
        " an answer in the chat.\n\n**Choosing the form**\n\nI am the demo provider, so I pick the scripted answer that fits best and say"
        " what it is.\n\n"
    )


def _told(result: dict[str, Any]) -> str:
    """One or two sentences about a finished tool call."""
    if "id" not in result:
        return f"That did not work: {result.get('error') or 'the tool gave no result'} You can try again or put it another way."
    title, version = result.get("title", "the document"), result.get("version")
    number = f" (version {version})" if version else ""
    if result.get("operation") == "update":
        return f"I changed **{title}**{number}. The former version is still there: step back with the arrows below the document."
    return f"I wrote **{title}**{number}; it is open beside the chat. Ask me to make it shorter, or to add a section about something."


def _results(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The tool results of a content; an adapter may wrap them as {"output": ...} or {"error": ...}."""
    responses = [part["functionResponse"]["response"] for part in content["parts"] if "functionResponse" in part]
    return [response["output"] if isinstance(response.get("output"), dict) else response for response in responses]


def _last_artifact(contents: list[dict[str, Any]]) -> dict[str, Any] | None:
    results = [result for content in contents for result in _results(content) if "id" in result]
    return results[-1] if results else None
