"""Scenes with a provider's own tools: a search with sources, reading a page, running code, drawing; and with files sent natively.

Also the scene in which the chat agent delegates to the provider tools agent and reports its result (SPEC 4.2).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from doubles.demo.conversation import ConversationState, Event
from doubles.demo.pictures import chart
from doubles.demo.showcase import TEA_CLAIM, TEMPERATURE, TEMPERATURE_PAGES
from doubles.demo.titles import without_lead
from doubles.script import Call, CitedText, Item, Picture, ProviderTool, ReceivedRequest, Text

_SEARCH = re.compile(
    r"\b(?:search|look(?:ed)? up|browse|google)\b.{0,40}?\b(?:web|internet|online|news)\b(?:\s+(?:for|about|on))?\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_PAGE = re.compile(r"\b(?:read|open|fetch|visit|summari[sz]e)\b.{0,40}?(https?://[^\s<>\"')]+)", re.IGNORECASE | re.DOTALL)
_RUN = re.compile(r"\b(?:run|execute)\b.{0,40}?\b(?:code|python|program|script)\b|\bcalculate\b", re.IGNORECASE | re.DOTALL)
_DRAW = re.compile(
    r"\b(?:draw|paint|make|create|generate)\b.{0,30}?\b(?:image|picture|photo|painting|bar chart)\b", re.IGNORECASE | re.DOTALL
)
_FILE = re.compile(r'<file name="([^"]*)" type="([^"]*)">\n(.*)\n</file>', re.DOTALL)
_FILE_PLACEHOLDERS = ("The image follows.", "The file follows.")
# How each wire declares the tool, without a version's date.
_WIRE_TOOLS = {
    "googleSearch": "web_search",
    "web_search": "web_search",
    "urlContext": "url_context",
    "web_fetch": "url_context",
    "codeExecution": "code_execution",
    "code_interpreter": "code_execution",
    "code_execution": "code_execution",
    "image_generation": "image_generation",
}

_TOOL_DISABLED = """\
That would need a tool of the provider that is switched off here: an admin switches web search, reading pages and running code on, for the model and for the agent.
"""
_NO_PICTURES = (
    "I am the **demo provider**, and models on this wire make no images, or the tool for it is switched off. Choose the model **Demo**.\n"
)
_DISCLAIMER = "I am the **demo provider** and play a web search: nothing leaves this machine, and the pages are made up.\n\n"
_SEARCH_SENTENCES = (
    "A search engine would now have found pages about **{topic}**. ",
    "One of them introduces the subject, others go into its history and its numbers. ",
    "What an answer rests on stands below it, so that you can check it.",
)
_PAGES = (
    ("https://example.com/introduction", "An introduction"),
    ("https://example.org/history", "A short history"),
    ("https://example.net/numbers", "The numbers, year by year"),
    ("https://www.example.com/questions", "Questions and answers"),
    (
        "https://docs.example.org/a-longer-guide-with-a-long-address/chapter-1",
        "A longer guide with a rather long title that has to be cut somewhere",
    ),
    ("https://news.example.net/today", ""),
)
_CODE = """\
def primes(limit):
    sieve = [True] * limit
    for n in range(2, limit):
        if sieve[n]:
            yield n
            sieve[n * n :: n] = [False] * len(sieve[n * n :: n])


print(*primes(50))
"""
_CODE_OUTPUT = "2 3 5 7 11 13 17 19 23 29 31 37 41 43 47\n"
AGENT = "provider_tools_agent"


def asks_for_provider_tool(text: str) -> bool:
    """Return whether the user asks for a search, a page, running code or an image."""
    return any(pattern.search(text) for pattern in (_PAGE, _SEARCH, _RUN, _DRAW))


def provider_scene(conversation: ConversationState, request: ReceivedRequest) -> list[Item] | None:
    """Return the scene's items; None when the user asked for none of these, or it was already done."""
    if conversation.since:
        return None
    if page := _PAGE.search(conversation.text):
        return _if_offered("url_context", _page_items(page[1]), request)
    if search := _SEARCH.search(conversation.text):
        return _if_offered("web_search", _search_items(without_lead(search[1]) or "that"), request)
    if _DRAW.search(conversation.text):
        return drawing_scene(conversation, request) or [Text(_NO_PICTURES)]
    if _RUN.search(conversation.text):
        return _if_offered("code_execution", _code_items(), request)
    return _describe_files(request)


def offered_tools(body: Mapping[str, Any]) -> set[str]:
    """Return the built-in tools that a request offers, on any wire."""
    declared_names = {name for tool in body.get("tools") or [] for name in (*tool, re.sub(r"_2\d{7}$", "", str(tool.get("type", ""))))}
    return {tool for name, tool in _WIRE_TOOLS.items() if name in declared_names}


def _if_offered(tool: str, items: list[Item], request: ReceivedRequest) -> list[Item]:
    return items if tool in offered_tools(request.body) else [Text(_TOOL_DISABLED)]


def _search_items(topic: str) -> list[Item]:
    pages = (_PAGES[:2], _PAGES[2:4], _PAGES[4:])
    if TEA_CLAIM.pattern.search(topic):
        return [
            ProviderTool("web_search", {"query": "green tea brewing temperature"}, pages=TEMPERATURE_PAGES),
            CitedText(TEMPERATURE, pages=TEMPERATURE_PAGES),
        ]
    cited_texts = [
        CitedText(text.format(topic=topic[:80]), pages=cited_pages) for text, cited_pages in zip(_SEARCH_SENTENCES, pages, strict=True)
    ]
    return [Text(_DISCLAIMER), ProviderTool("web_search", {"query": topic[:80]}, pages=_PAGES), *cited_texts]


def _page_items(url: str) -> list[Item]:
    page = (url.rstrip(".,;:!?"), "")
    explanation = "I am the **demo provider** and only play that I read this page. A real model would now answer from what it says."
    return [ProviderTool("url_context", {"url": page[0]}, pages=[page]), CitedText(explanation, pages=[page])]


def _code_items() -> list[Item]:
    explanation = "I am the **demo provider** and play that code runs on the provider's side. It looks for prime numbers.\n\n"
    return [
        Text(explanation),
        ProviderTool("code_execution", {"code": _CODE}, output=_CODE_OUTPUT),
        Text("There are **15** prime numbers below 50; the card above has the code and what it printed."),
    ]


def drawing_scene(conversation: ConversationState, request: ReceivedRequest) -> list[Item] | None:
    """Return the picture; None when the user asked for none, or none can be made.

    Gemini's models draw without a tool, OpenAI's with one.
    """
    can_draw = "contents" in request.body or "image_generation" in offered_tools(request.body)
    if conversation.since or not can_draw or not _DRAW.search(conversation.text):
        return None
    explanation = "I am the **demo provider**: this picture is made of numbers in a script, whatever you ask for.\n\n"
    return [
        Text(explanation),
        Picture(chart()),
        Text("A real model for images would now have drawn what you asked for. Ask me about it, and I get it back."),
    ]


def _describe_files(request: ReceivedRequest) -> list[Item] | None:
    """Describe the images and documents that came natively with the newest message."""
    newest: Mapping[str, Any] = next((content for content in reversed(request.contents) if content.get("role") != "model"), {})
    texts = [str(part.get("text", "")) for part in newest.get("parts", [])]
    files = [match for text in texts if (match := _FILE.match(text)) and match[3] in _FILE_PLACEHOLDERS]
    if not files:
        return None
    names = ", ".join(f"**{unescape(match[1])}** ({match[2]})" for match in files)
    return [
        Text(
            f"I got {names} as it is, not as text. I am the **demo provider**, so I can't look at it; a real model would now tell you what it sees."
        )
    ]


def delegation_scene(conversation: ConversationState) -> list[Item] | None:
    """Return the scene's items; None when the chat agent has no such agent, or the user asked for none of its tools."""
    if AGENT not in conversation.tools or not asks_for_provider_tool(conversation.text):
        return None
    if not conversation.since:
        return [Call(AGENT, {"task": conversation.text})]
    results = [event for event in conversation.results if event.tool == AGENT]
    return [Text(_summary(results[-1]))] if results else None


def _summary(event: Event) -> str:
    result: dict[str, Any] = event.value if isinstance(event.value, dict) else {}
    if "result" not in result:
        return f"I could not find that out. {result.get('error', '')}".strip()
    return str(result["result"])
