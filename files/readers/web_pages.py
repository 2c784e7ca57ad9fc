"""Reader of web pages: their main content as Markdown, without navigation and other page furniture."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup
from bs4.dammit import UnicodeDammit
from lxml import etree, html
from lxml.html import HtmlElement
from markdownify import ATX, MarkdownConverter

from files.readers.output import TITLE

NOISE = ("script", "style", "noscript", "template", "svg", "iframe", "object", "form", "button", "dialog", "nav", "aside", "footer")
ROLES = ("navigation", "banner", "contentinfo")
HIDDEN = '//*[@hidden or @aria-hidden="true" or {}]'.format(" or ".join(f'@role="{role}"' for role in ROLES))
MAIN = '//main | //*[@role="main"] | //article'
MIN_MAIN_LENGTH = 200  # characters; with less than this, the whole page is used instead
MAX_MARKUP_CHARS = 512 * 1024  # a longer page is reduced to plain text


def html_markdown(content: bytes) -> Iterator[str]:
    """Yield `Title: ` and the title in one line, then the page. Links become absolute URLs, relative to the page's first <base>."""
    page = _parse_html(content)
    if page is None:
        yield TITLE
        return
    yield f"{TITLE}{_one_line(page.findtext('.//title') or '')}"
    address = next((str(base) for base in page.xpath("//base/@href")), "")
    for element in (*page.iter(*NOISE, etree.Comment), *page.xpath(HIDDEN)):
        if element.getparent() is not None:
            element.drop_tree()
    body = _main_part(page)
    _normalize_links(body, address)
    yield _markdown(body)


def _parse_html(content: bytes) -> HtmlElement | None:
    """Return the parsed page, or None for a page without any element."""
    text = UnicodeDammit(content, is_html=True).unicode_markup or ""
    try:
        page: HtmlElement = html.document_fromstring(text.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:
        return None
    return page


def _main_part(page: HtmlElement) -> HtmlElement:
    parts: list[HtmlElement] = page.xpath(MAIN)
    longest = max(parts, key=lambda part: len(part.text_content()), default=None)
    if longest is not None and len(longest.text_content().strip()) >= MIN_MAIN_LENGTH:
        return longest
    body: HtmlElement | None = page.find(".//body")
    return page if body is None else body


def _normalize_links(body: HtmlElement, address: str) -> None:
    """Make link URLs absolute, and replace images by their alt text."""
    for image in list(body.iter("img")):
        image.tail = f"{_one_line(image.get('alt') or '')}{image.tail or ''}"
        image.drop_tree()
    for link in list(body.iter("a")):
        whole = _absolute_url(link.get("href") or "", address)
        if whole:
            link.set("href", whole)
        elif link is not body:
            link.drop_tag()


def _absolute_url(href: str, address: str) -> str:
    """Return the absolute URL, or "" if it leads to no other page."""
    try:
        whole = urljoin(address, href.strip())
        return "" if href[:1] in ("", "#") or urlsplit(whole).scheme not in ("http", "https") else whole
    except ValueError:
        return ""


def _markdown(body: HtmlElement) -> str:
    markup = html.tostring(body, encoding="unicode", with_tail=False)
    if len(markup) > MAX_MARKUP_CHARS:
        return _collapse_blank_lines(body.text_content())
    converter = MarkdownConverter(heading_style=ATX, bullets="-", escape_asterisks=False, escape_underscores=False, table_infer_header=True)
    try:
        return _collapse_blank_lines(str(converter.convert_soup(BeautifulSoup(markup, "lxml"))))
    except RecursionError:  # too deeply nested elements
        return _collapse_blank_lines(body.text_content())


def _collapse_blank_lines(text: str) -> str:
    lines: list[str] = []
    for line in (line.rstrip() for line in text.splitlines()):
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())
