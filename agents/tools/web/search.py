"""Search engines behind one interface (SPEC 4.2): requests per type of search, and how to read the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args
from urllib.parse import urlencode

import orjson

from agents.errors import ToolFailed
from security.egress import EgressRefused, FetchFailed, FetchResult, call, words_for_model
from security.known_secrets import EchoFilter
from security.secrets.secret_text import SecretText
from tenants.json_encoding import json_bytes

SearchType = Literal["info", "news", "research", "api", "data", "image", "tool"]
BackendName = Literal["tavily", "brave", "serper"]
TYPES: Final[tuple[SearchType, ...]] = get_args(SearchType)
# No engine has an index for these types, so keywords are added to the query.
TYPE_KEYWORDS: Final[Mapping[SearchType, str]] = {
    "api": "API documentation reference",
    "data": "dataset statistics data",
    "tool": "software tool",
}
MAX_SNIPPET_CHARS = 600
MAX_BRAVE_RESULTS = 20  # limit of Brave's web search

SearchResult = dict[str, str]  # title, url, snippet, published
BRAVE_PATHS: Final[Mapping[SearchType, str]] = {"news": "/res/v1/news/search", "image": "/res/v1/images/search"}
SERPER_PATHS: Final[Mapping[SearchType, tuple[str, str]]] = {
    "news": ("/news", "news"),
    "image": ("/images", "images"),
    "research": ("/scholar", "organic"),
}
REFUSALS: Final[Mapping[int, str]] = {
    401: "It did not take the key.",
    403: "It did not take the key.",
    429: "It was asked too often. Try again in a while.",
}


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A search for the engine."""

    query: str
    type: SearchType
    limit: int  # maximum number of results

    @property
    def text(self) -> str:
        """The words to search for."""
        return f"{self.query} {TYPE_KEYWORDS[self.type]}" if self.type in TYPE_KEYWORDS else self.query


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One request to a search engine."""

    method: Literal["GET", "POST"]
    path: str  # appended to the engine's base address
    headers: Mapping[str, str]
    body: Mapping[str, Any] | None = None

    @property
    def content(self) -> bytes | None:
        return None if self.body is None else json_bytes(dict(self.body))


@dataclass(frozen=True, slots=True)
class SearchEngine:
    """A search engine's API."""

    label: str
    base_url: str
    build_request: Callable[[SearchQuery, SecretText], SearchRequest]  # raises ToolFailed for an unsupported type
    read_results: Callable[[Any, SearchQuery], Iterator[SearchResult]]  # reads an answer of status 200
    refusals: Mapping[int, str] = field(default_factory=dict)  # meanings of status codes, in addition to REFUSALS


def _tavily_request(question: SearchQuery, key: SecretText) -> SearchRequest:
    """Source: https://docs.tavily.com/documentation/api-reference/endpoint/search."""
    body: dict[str, Any] = {
        "query": question.text,
        "topic": "news" if question.type == "news" else "general",
        "search_depth": "advanced" if question.type == "research" else "basic",
        "max_results": question.limit,
    }
    if question.type == "image":
        body |= {"include_images": True, "include_image_descriptions": True}
    headers = {"authorization": f"Bearer {key.reveal()}", "content-type": "application/json"}
    return SearchRequest("POST", "/search", headers, body)


def _tavily_results(answer: Any, question: SearchQuery) -> Iterator[SearchResult]:
    if question.type == "image":
        for image in _list(answer, "images"):
            yield _result(image.get("description"), image.get("url"), image.get("description"), "")
        return
    for row in _list(answer, "results"):
        yield _result(row.get("title"), row.get("url"), row.get("content"), row.get("published_date"))


def _brave_request(question: SearchQuery, key: SecretText) -> SearchRequest:
    """Source: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started."""
    if question.type == "research":
        raise ToolFailed("Brave has no index of research papers. Search with the type info, and name journals or authors in the query.")
    plain = {} if question.type == "image" else {"text_decorations": "false"}
    query = urlencode({"q": question.text, "count": min(question.limit, MAX_BRAVE_RESULTS), **plain})
    headers = {"x-subscription-token": key.reveal(), "accept": "application/json"}
    return SearchRequest("GET", f"{BRAVE_PATHS.get(question.type, '/res/v1/web/search')}?{query}", headers)


def _brave_results(answer: Any, question: SearchQuery) -> Iterator[SearchResult]:
    rows = _list(answer, "results") if question.type in BRAVE_PATHS else _list(_dict(answer, "web"), "results")
    for row in rows:
        if question.type == "image":
            yield _result(row.get("title"), _dict(row, "properties").get("url") or row.get("url"), row.get("url"), "")
        else:
            yield _result(row.get("title"), row.get("url"), row.get("description"), row.get("page_age") or row.get("age"))


def _serper_request(question: SearchQuery, key: SecretText) -> SearchRequest:
    """Source: https://serper.dev/playground."""
    path, _ = SERPER_PATHS.get(question.type, ("/search", "organic"))
    headers = {"x-api-key": key.reveal(), "content-type": "application/json"}
    return SearchRequest("POST", path, headers, {"q": question.text, "num": question.limit})


def _serper_results(answer: Any, question: SearchQuery) -> Iterator[SearchResult]:
    _, name = SERPER_PATHS.get(question.type, ("/search", "organic"))
    for row in _list(answer, name):
        if question.type == "image":
            yield _result(row.get("title"), row.get("imageUrl"), row.get("link"), "")
        else:
            yield _result(row.get("title"), row.get("link"), row.get("snippet"), row.get("date") or row.get("year"))


SEARCH_ENGINES: Final[Mapping[BackendName, SearchEngine]] = {
    "tavily": SearchEngine(
        "Tavily",
        "https://api.tavily.com",
        _tavily_request,
        _tavily_results,
        {432: "The plan's searches are used up.", 433: "The budget is spent."},
    ),
    "brave": SearchEngine(
        "Brave Search", "https://api.search.brave.com", _brave_request, _brave_results, {422: "It did not take the key or the request."}
    ),
    "serper": SearchEngine(
        "Serper",
        "https://google.serper.dev",
        _serper_request,
        _serper_results,
        {400: "It did not take the request, or the credit is used up."},
    ),
}


def _result(title: Any, url: Any, snippet: Any, published: Any) -> SearchResult:
    texts = {"title": title, "url": url, "snippet": snippet, "published": published}
    return {name: " ".join(str(text or "").split())[:MAX_SNIPPET_CHARS] for name, text in texts.items()}


def _dict(value: Any, name: str) -> dict[str, Any]:
    field = value.get(name) if isinstance(value, dict) else None
    return field if isinstance(field, dict) else {}


def _list(value: Any, name: str) -> list[dict[str, Any]]:
    field = value.get(name) if isinstance(value, dict) else None
    return [row for row in field if isinstance(row, dict)] if isinstance(field, list) else []


async def search_web(backend: SearchEngine, question: SearchQuery, *, base_url: str, key: SecretText, timeout_s: int) -> list[SearchResult]:
    """Return at most `question.limit` results, best first, without duplicate pages. Raises ToolFailed with a message for the model."""
    search_request = backend.build_request(question, key)
    address = base_url.rstrip("/") + search_request.path
    try:
        answer = await call(
            search_request.method, address, content=search_request.content, headers=search_request.headers, timeout_s=timeout_s
        )
    except (EgressRefused, FetchFailed) as error:
        raise ToolFailed(f"The search failed. {words_for_model(error, 'The search engine could not be reached.')}") from error
    results: dict[str, SearchResult] = {}
    engine_answer = EchoFilter.removing(key.reveal()).hide_value(_json(backend, answer))
    for row in backend.read_results(engine_answer, question):
        if row["url"].startswith(("http://", "https://")):
            results.setdefault(row["url"], row)
    return list(results.values())[: question.limit]


def _json(backend: SearchEngine, answer: FetchResult) -> object:
    """Return the parsed answer. The engine's own error messages are left out: they may contain the key."""
    if answer.status != 200:
        reason = {**REFUSALS, **backend.refusals}.get(answer.status, "It may be down." if answer.status >= 500 else "")
        raise ToolFailed(f"{backend.label} answered with status {answer.status}. {reason}".strip())
    try:
        return orjson.loads(answer.content)
    except orjson.JSONDecodeError as error:
        raise ToolFailed(f"{backend.label} gave an answer that can't be read.") from error
