"""Markdown as HTML for the pages of shared links: raw HTML is shown as text, pictures as their description, links open outside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any, Final
from urllib.parse import urlsplit

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from artifacts.rendering.blocks import SAFE_LINK_SCHEMES, printable
from sharing.formulas import formulas_plugin

HEADING_SHIFT: Final = 2  # the page has the first level, its parts have the second
DIRECTED: Final = {"bullet_list_open", "ordered_list_open", "blockquote_open"}
_CITATION: Final = re.compile(r"\[?\d{1,3}\]?")  # the number of a source
LINK_ATTRIBUTES: Final = {"rel": "noopener noreferrer nofollow ugc", "target": "_blank"}


def markdown_html(text: str, *, keeps_lines: bool = False) -> SafeString:
    """Return the text as HTML that is safe to show. `keeps_lines`: a single line break counts, as in what people type."""
    tokens = _PARSERS[keeps_lines].parse(printable(text))
    for token in tokens:
        _adapt_token(token)
    html: str = _PARSERS[keeps_lines].renderer.render(tokens, _PARSERS[keeps_lines].options, {})
    return mark_safe(html)  # noqa: S308 - raw HTML is off


def code_html(text: str) -> SafeString:
    """Return a block of code that the keyboard can scroll."""
    return mark_safe(f'<pre tabindex="0"><code>{escape(text)}</code></pre>\n')  # noqa: S308 - escaped


def _adapt_token(token: Token) -> None:
    if token.type in {"heading_open", "heading_close"}:
        token.tag = f"h{min(6, int(token.tag[1]) + HEADING_SHIFT)}"
    elif token.type == "table_open":
        token.attrs.update(tabindex="0", dir="auto")  # a wide one scrolls
    elif token.type in DIRECTED:
        token.attrSet("dir", "auto")  # dots, numbers and the bar stand where the text begins
    elif align := str(token.attrs.pop("style", "")).removeprefix("text-align:"):
        token.attrSet("class", align)  # the page's policy allows no inline style
    children = token.children or []
    for child, inside in zip_longest(children, children[1:]):
        if child.type == "link_open":
            child.attrs = _link_attributes(str(child.attrGet("href") or ""))
            if child.attrs and inside is not None and _CITATION.fullmatch(inside.content):
                child.attrSet("class", "cite")


def _link_attributes(address: str) -> dict[str, Any]:
    """Return the attributes of a link; none when its address is not one of the web or of a mail, so that it is text."""
    try:
        is_safe = urlsplit(address).scheme.lower() in SAFE_LINK_SCHEMES
    except ValueError:
        is_safe = False
    return {"href": address, **LINK_ATTRIBUTES} if is_safe else {}


def _code(_: Any, tokens: Sequence[Token], index: int, *rest: Any) -> str:
    return code_html(tokens[index].content)


def _picture(_: Any, tokens: Sequence[Token], index: int, *rest: Any) -> str:
    return escape(tokens[index].content)


def _parser(*, keeps_lines: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": keeps_lines}).enable(["table", "strikethrough"]).use(formulas_plugin)
    rules: Iterable[tuple[str, Any]] = (("fence", _code), ("code_block", _code), ("image", _picture))
    for name, rule in rules:
        parser.add_render_rule(name, rule)
    return parser


_PARSERS: Final = {keeps_lines: _parser(keeps_lines=keeps_lines) for keeps_lines in (False, True)}
