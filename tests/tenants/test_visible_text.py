"""Titles and names show all that they contain (docs/security.md)."""

from __future__ import annotations

import pytest

from tenants.input.visible_text import visible_line

HIDDEN = (
    *(0x01, 0x07, 0x08, 0x1B, 0x7F, 0x9F),
    *(0xAD, 0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x2800, 0x3164, 0xFFA0),
    *(0x200B, 0x200C, 0x200D, 0x2060, 0x2064, 0xFEFF),
    *(0x61C, 0x200E, 0x200F, 0x202A, 0x202D, 0x202E, 0x2066, 0x2069),
    *(0xFFF9, 0xFE00, 0xFE0F, 0xE0001, 0xE0041, 0xE0100, 0xE000, 0xD800, 0x10FFFF),
)


@pytest.mark.parametrize("code", HIDDEN, ids=lambda code: f"U+{code:04X}")
def test_what_cannot_be_seen_is_left_out(code: int) -> None:
    assert visible_line(f"Tea{chr(code)}time") == "Teatime"


@pytest.mark.parametrize("code", [0x09, 0x0A, 0x0D, 0x85, 0xA0, 0x2003, 0x2028, 0x3000], ids=lambda code: f"U+{code:04X}")
def test_all_white_space_is_a_space(code: int) -> None:
    assert visible_line(f" Tea{chr(code)} time{chr(code)}") == "Tea time"


@pytest.mark.parametrize("text", ["Grüße", "Привет", "می‌خواهم", "👩‍👩‍👧 ❤️", "हिन्दी", "日本語", "naïve", "“Tea” 1 € …", "שלום"])
def test_what_people_write_stays(text: str) -> None:
    assert visible_line(text) == text


def test_marks_do_not_pile_up() -> None:
    assert visible_line("e" + "\u0301" * 40) == "e" + "\u0301" * 4
