"""Doubles of three search engines' APIs at one address, and of a few web pages: strict about what they take, and recording it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import orjson

from doubles.asgi import Receive, Scope, Send, read_body, request_headers, send_body, send_json

KEY = "search-canary-9KwQ4ZtV71"
TAVILY = {"query": str, "topic": str, "search_depth": str, "max_results": int, "include_images": bool, "include_image_descriptions": bool}
SERPER = {"q": str, "num": int}
BRAVE = {"q", "count", "text_decorations"}
PageResponse = tuple[int, str, bytes]  # status, content type, body


@dataclass
class SearchEngines:
    """`url`: where it is served. `status`: what the next searches are answered with. `pages`: by path. `searches`: path and parameters of each search."""

    url: str = ""
    status: int = 200
    pages: dict[str, PageResponse] = field(default_factory=dict)
    searches: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    page_requests: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, headers, content = scope["path"], request_headers(scope), await read_body(receive)
        if scope["method"] == "GET" and path in self.pages:
            self.page_requests.append(path)
            status, content_type, body = self.pages[path]
            await send_body(send, status, body, content_type)
            return
        problem = _problem(scope, headers, content)
        if problem is not None or self.status != 200:
            status, message = problem or (self.status, f"refused, and the key was {KEY}")
            await send_json(send, status, {"error": message})
            return
        query = dict(parse_qsl(scope["query_string"].decode())) or orjson.loads(content)
        self.searches.append((path, query))
        await send_json(send, 200, ANSWERS[path if path != "/search" or "q" not in query else "/serper"])


def _problem(scope: Scope, headers: Mapping[str, str], content: bytes) -> tuple[int, str] | None:
    path = scope["path"]
    if path.startswith("/res/v1/"):
        return _brave_problem(scope, headers)
    if scope["method"] != "POST" or headers.get("content-type") != "application/json":
        return 405, "POST JSON."
    body = orjson.loads(content)
    shape, key = (TAVILY, headers.get("authorization", "")) if "query" in body else (SERPER, headers.get("x-api-key", ""))
    if key not in (KEY, f"Bearer {KEY}") or (shape is TAVILY) != key.startswith("Bearer "):
        return 401, "Unauthorized."
    wrong = [name for name, value in body.items() if name not in shape or type(value) is not shape[name]]
    allowed = {"/search"} if shape is TAVILY else {"/search", "/news", "/images", "/scholar"}
    if wrong or path not in allowed:
        return 400, f"Not taken: {wrong} at {path}."
    if body.get("topic", "general") not in ("general", "news", "finance") or body.get("search_depth", "basic") not in ("basic", "advanced"):
        return 400, "No such topic or depth."
    return None


def _brave_problem(scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
    query = dict(parse_qsl(scope["query_string"].decode()))
    if headers.get("x-subscription-token") != KEY:
        return 422, "SUBSCRIPTION_TOKEN_INVALID"
    if scope["method"] != "GET" or not set(query) <= BRAVE or not 0 < int(query["count"]) <= 20 or scope["path"] not in ANSWERS:
        return 422, "VALIDATION"
    return None


PAGE = {"title": "All about tea", "url": "https://tea.example/all", "snippet": "Tea is brewed."}
PICTURE = "https://tea.example/cup.png"
ANSWERS: Mapping[str, Any] = {
    "/search": {  # Tavily
        "query": "tea",
        "results": [
            {"title": PAGE["title"], "url": PAGE["url"], "content": PAGE["snippet"], "score": 0.9, "published_date": "2026-11-20"},
            {"title": "Again", "url": PAGE["url"], "content": "The same page.", "score": 0.5},
            {"title": "Odd", "url": "javascript:alert(1)", "content": "No page.", "score": 0.1},
        ],
        "images": [{"url": PICTURE, "description": "A cup"}],
    },
    "/serper": {
        "organic": [{"title": PAGE["title"], "link": PAGE["url"], "snippet": PAGE["snippet"], "date": "2026-11-20", "position": 1}]
    },
    "/news": {"news": [{"title": PAGE["title"], "link": PAGE["url"], "snippet": PAGE["snippet"], "date": "2026-11-20", "source": "Tea"}]},
    "/images": {"images": [{"title": "A cup", "imageUrl": PICTURE, "link": PAGE["url"]}]},
    "/scholar": {"organic": [{"title": PAGE["title"], "link": PAGE["url"], "snippet": PAGE["snippet"], "year": 2026}]},
    "/res/v1/web/search": {
        "web": {"results": [{"title": PAGE["title"], "url": PAGE["url"], "description": PAGE["snippet"], "page_age": "2026-11-20"}]}
    },
    "/res/v1/news/search": {"results": [{"title": PAGE["title"], "url": PAGE["url"], "description": PAGE["snippet"], "age": "2 days ago"}]},
    "/res/v1/images/search": {"results": [{"title": "A cup", "url": PAGE["url"], "properties": {"url": PICTURE}}]},
}
