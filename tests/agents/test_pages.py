"""What a server says of its page's letters is taken where it costs nothing (SPEC 4.3)."""

from __future__ import annotations

import pytest

from agents.tools.web.pages import Page, _page
from security.egress import FetchResult


@pytest.mark.parametrize(
    ("charset", "content", "text"),
    [
        ("windows-1251", "Чай".encode("cp1251"), "Чай"),
        ("Shift_JIS", "お茶".encode("shift_jis"), "お茶"),
        ("GB2312", "茶".encode("gb2312"), "茶"),
        ("utf-16", "Tea".encode("utf-16"), "Tea"),
        ("utf8", b"\xef\xbb\xbfTea", "Tea"),
        ("nobodys", "Grün".encode(), "Grün"),
    ],
)
async def test_a_page_is_read_as_its_server_says(charset: str, content: bytes, text: str) -> None:
    assert await page(charset, content) == Page("https://tea.example/", "", text)


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "utf-7", "undefined", "rot13", "zlib"])
async def test_encodings_that_harm_are_none(charset: str) -> None:
    content = b"a-" * 500_000
    assert (await page(charset, content)).text == content.decode()[:300_000]


async def page(charset: str, content: bytes) -> Page:
    headers = {"content-type": f"text/plain; charset={charset}"}
    return await _page(FetchResult(url="https://tea.example/", status=200, headers=headers, content=content))
