"""The text inside a Yjs document (pycrdt). Pure: bytes and texts in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from secrets import randbits
from typing import Any, Final

from pycrdt import Doc, Text, merge_updates

from artifacts.errors import LiveUpdateInvalid
from artifacts.text.lines import changes_between, split_lines

NAME: Final = "content"  # of the text in the document; the browser has the same
CLIENT_BITS: Final = 32  # of a writer's id, as in Yjs
PANIC: Final = "PanicException"  # of Rust; pycrdt does not export it, and it is no Exception


class LiveText:
    """A Yjs document with one text. Any thread may use it, one at a time."""

    def __init__(self, updates: Iterable[bytes] = ()) -> None:
        self._document: Doc[Any] = Doc(client_id=randbits(CLIENT_BITS), allow_multithreading=True)
        self._text = self._document.get(NAME, type=Text)
        for update in updates:
            self.apply(update)

    def __str__(self) -> str:
        return str(self._text)

    @property
    def state(self) -> bytes:
        """Everything as one update."""
        return self._document.get_update()

    @property
    def size_bytes(self) -> int:
        return _bytes(str(self))

    def apply(self, update: bytes) -> None:
        """Raises LiveUpdateInvalid; then this text is of no use any more."""
        with _translate_errors():
            self._document.apply_update(update)

    def replace(self, new: str) -> bytes:
        """Make this the text, by changes of the lines that differ. Return them as an update; empty when there are none."""
        old = str(self._text)
        if old == new:
            return b""
        before = self._document.get_state()
        with self._document.transaction():
            for start, removed, added in reversed(list(_replacements(old, new))):
                del self._text[start : start + removed]
                self._text.insert(start, added)
        return self._document.get_update(before)


def updates_join(updates: Sequence[bytes]) -> bytes:
    """Return one update that does what these do. Raises LiveUpdateInvalid."""
    with _translate_errors():
        return updates[0] if len(updates) == 1 else merge_updates(*updates)


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise LiveUpdateInvalid for whatever pycrdt makes of a bad update."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == PANIC:
            raise LiveUpdateInvalid from error
        raise


def _replacements(old: str, new: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a part of `old` begins, how long it is (both in bytes of UTF-8, as pycrdt counts), and what it becomes."""
    lines, new_lines = split_lines(old), split_lines(new)
    place = start = 0
    for change in changes_between(lines, new_lines):
        start += _bytes("".join(lines[place : change.low]))
        removed, added = "".join(lines[change.low : change.high]), "".join(new_lines[change.new_low : change.new_high])
        head = _common(removed, added)
        tail = _common(removed[head:][::-1], added[head:][::-1])
        old_part = removed[head : len(removed) - tail]
        yield start + _bytes(removed[:head]), _bytes(old_part), added[head : len(added) - tail]
        start += _bytes(removed)
        place = change.high


def _common(one: str, other: str) -> int:
    """Return how many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _bytes(text: str) -> int:
    return len(text.encode())
