"""Reads a web page as text for a model."""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.message import Message
from html import escape
from typing import TypeVar

from agents.errors import ToolFailed
from files.extraction.text import ExtractedText, ExtractionLimits, extract_text
from files.readers.output import TITLE
from files.sniffing import OFFICE_MEDIA_TYPES
from security.egress import EgressRefused, FetchFailed, FetchResult, fetch, words_for_model

Result = TypeVar("Result")

HTML = ("text/html", "application/xhtml+xml")
PDF = "application/pdf"
TEXT_TYPES = ("application/json", "application/xml", "application/yaml", "application/x-yaml", "application/javascript", "application/toml")
HEADERS = {
    "user-agent": "Mozilla/5.0 (compatible; Parley/1.0)",
    "accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,application/json;q=0.8,*/*;q=0.5",
}
LIMITS = ExtractionLimits(characters=300_000)
MAX_CONTENT_TYPE_CHARS = 300
# Python has other encodings that can raise whatever `errors` says, or take quadratic time (punycode).
ENCODINGS = re.compile(
    r"ascii|utf-(16|32)(-[lb]e)?|iso8859-\d+|cp(125\d|437|866|874|932|949|950)|tis-620|koi8-[rtu]|mac-(roman|cyrillic)"
    r"|shift_jis(_2004|x0213)?|euc_(jp|kr|jis_2004|jisx0213)|iso2022_(jp|kr)|gb(18030|k|2312)|big5(hkscs)?|johab"
)

_readers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="pages")  # each waits for one child process
_decoders = ThreadPoolExecutor(max_workers=2, thread_name_prefix="decoding")  # decoding megabytes takes a while


# One sentence for all reasons, so that no model finds out what exists inside a network.
UNREACHABLE = "This address can't be opened from here. Only public pages can: https:// or http://, without a password or a special port."


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text."""

    url: str  # after redirects
    title: str
    text: str
    is_cut: bool = False  # whether the page had more text than this


async def page_read(url: str, check: Callable[[str], Awaitable[None]] | None = None) -> Page:
    """GET a page and read it. The URL, which models choose, is checked like any outgoing request. `check`: see `fetch`.

    Raises ToolFailed with a message for the model.
    """
    try:
        response = await fetch(url, headers=HEADERS, check=check)
    except (EgressRefused, FetchFailed) as error:
        raise ToolFailed(words_for_model(error, UNREACHABLE)) from error
    if not 200 <= response.status < 300:
        raise ToolFailed(f"The server answered with status {response.status}.")
    return await _page(response)


async def _page(response: FetchResult) -> Page:
    header = Message()
    header["content-type"] = response.headers.get("content-type", "")[:MAX_CONTENT_TYPE_CHARS]
    media_type = _media_type(header, response.content)
    charset = str(header.get_content_charset() or "")
    if media_type in HTML:
        document = await _read(await _run_in_decoder_thread(_with_base_url, response, charset), HTML[0])
        title, _, text = document.text.partition("\n")
        return Page(response.url, title.removeprefix(TITLE).strip(), text.strip(), document.is_cut)
    if media_type == PDF or media_type in OFFICE_MEDIA_TYPES:
        document = await _read(response.content, media_type)
        return Page(response.url, "", document.text, document.is_cut)
    if media_type.startswith("text/") or media_type in TEXT_TYPES or media_type.endswith(("+json", "+xml")):
        text = await _run_in_decoder_thread(_decode, response.content, charset)
        return Page(response.url, "", text[: LIMITS.characters], len(text) > LIMITS.characters)
    raise ToolFailed(f"This is a file of the type {media_type or 'unknown'}, which can't be read as text.")


def _media_type(header: Message, content: bytes) -> str:
    """Return the media type of the header. If it is missing or application/octet-stream, the first bytes decide."""
    declared_type = header.get_content_type() if header["content-type"] else ""
    if declared_type not in ("", "application/octet-stream"):
        return declared_type
    if content.startswith(b"%PDF-"):
        return PDF
    start = content[:1024].lstrip().lower()
    return HTML[0] if start.startswith((b"<!doctype html", b"<html")) else "text/plain" if b"\x00" not in start else ""


def _with_base_url(response: FetchResult, charset: str) -> bytes:
    """Return the page with a <base> element, which makes its links absolute; as UTF-8 when the server declared a charset."""
    base = f'<base href="{escape(response.url)}">'.encode()
    if not charset:
        return base + response.content
    return codecs.BOM_UTF8 + base + _decode(response.content, charset).encode("utf-8", "replace")


def _decode(content: bytes, charset: str) -> str:
    return content.decode(_encoding(charset), "replace").replace("\x00", "")


def _encoding(charset: str) -> str:
    """Return the declared encoding if it is one of ENCODINGS, else UTF-8."""
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return "utf-8-sig"
    return name if ENCODINGS.fullmatch(name) else "utf-8-sig"


async def _run_in_decoder_thread(work: Callable[..., Result], *arguments: object) -> Result:
    return await asyncio.get_running_loop().run_in_executor(_decoders, work, *arguments)


async def _read(content: bytes, media_type: str) -> ExtractedText:
    read = await asyncio.get_running_loop().run_in_executor(_readers, extract_text, content, media_type, LIMITS)
    if read.reason:
        raise ToolFailed(f"The page can't be read. {read.reason}")
    return read
