"""Conversion of text offsets: browsers count UTF-16 code units (JavaScript strings), Python counts code points."""

from __future__ import annotations


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def from_utf16(text: str, offset: int) -> int:
    """Return the code point that begins at `offset`. Raises ValueError outside the text and between the halves of a surrogate pair."""
    if text.isascii():
        result = offset
    else:
        before = text.encode("utf-16-le", "surrogatepass")[: 2 * offset]
        result = len(before.decode("utf-16-le")) if offset >= 0 and len(before) == 2 * offset else -1
    if not 0 <= result <= len(text):
        raise ValueError(f"{offset} is outside of the text")
    return result


def to_utf16(text: str, index: int) -> int:
    """Return where the code point `index` begins, in UTF-16 code units."""
    return utf16_length(text[:index])
