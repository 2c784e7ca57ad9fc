"""What of a page a browser has to run or to refuse, and where its links lead, read from its HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

ROW = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/)\d+(?=/)")
RUNS = re.compile(r"x-|@|:|hx-")  # attributes that Alpine and HTMX run
UNSAFE_ATTRIBUTES = re.compile(r"on\w+|style|srcdoc")  # attributes that the policy refuses, whatever they say
SOURCES = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "form": "action"}


class PageParts(HTMLParser):
    """`parts`: each script, style sheet, source and expression, with * for what tells rows apart. `links`: the paths to which links lead."""

    def __init__(self, url: str, html: str) -> None:
        super().__init__()
        self.parts: set[str] = set()
        self.links: list[str] = []
        self.has_heading = False
        self._url = url
        self._inline = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.has_heading = self.has_heading or tag == "h1"
        is_inline = tag in ("script", "style") and "src" not in attributes and "json" not in attributes.get("type", "")
        self._inline = (tag if "nonce" in attributes else f"{tag} without nonce") if is_inline else ""
        if tag == "a" and "href" in attributes:
            self.links.append(urlsplit(urljoin(self._url, attributes["href"])).path)
        if source := attributes.get(SOURCES.get(tag, "")):
            self._add(tag, source.partition("?")[0])
        for name, value in attributes.items():
            if RUNS.match(name):
                self._add(name, value)
            if UNSAFE_ATTRIBUTES.fullmatch(name):
                self._add(tag, name)

    def handle_data(self, data: str) -> None:
        if self._inline:
            self._add(self._inline, data)

    def handle_endtag(self, tag: str) -> None:
        self._inline = ""

    def _add(self, kind: str, text: str) -> None:
        self.parts.add(f"{kind} {ROW.sub('*', text)}")
