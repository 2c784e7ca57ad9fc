"""One question to a search engine and what it found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import orjson

from agents.engine.errors import ToolFailed
from agents.tools.web.search import SearchEngine, SearchQuery, SearchResult
from security.egress import EgressRefused, FetchFailed, FetchResult, call
from security.secret_text import SecretText

REFUSALS: Final[Mapping[int, str]] = {
    401: "It did not take the key.",
    403: "It did not take the key.",
    429: "It was asked too often. Try again in a while.",
}


async def search_web(backend: SearchEngine, question: SearchQuery, *, base_url: str, key: SecretText, timeout_s: int) -> list[SearchResult]:
    """At most `question.limit` results, best first, each page once. Raises ToolFailed with words for the model."""
    search_request = backend.build_request(question, key)
    address = base_url.rstrip("/") + search_request.path
    try:
        answer = await call(
            search_request.method, address, content=search_request.content, headers=search_request.headers, timeout_s=timeout_s
        )
    except (EgressRefused, FetchFailed) as error:
        raise ToolFailed(f"The search failed. {error}") from error
    found: dict[str, SearchResult] = {}
    for row in backend.found(_json(backend, answer), question):
        if row["url"].startswith(("http://", "https://")):
            found.setdefault(row["url"], row)
    return list(found.values())[: question.limit]


def _json(backend: SearchEngine, answer: FetchResult) -> object:
    """A search engine's own words about an error are left out: they may repeat the key."""
    if answer.status != 200:
        reason = {**REFUSALS, **backend.refusals}.get(answer.status, "It may be down." if answer.status >= 500 else "")
        raise ToolFailed(f"{backend.label} answered with status {answer.status}. {reason}".strip())
    try:
        return orjson.loads(answer.content)
    except orjson.JSONDecodeError as error:
        raise ToolFailed(f"{backend.label} gave an answer that can't be read.") from error
