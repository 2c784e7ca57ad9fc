"""Server-sent events from raw bytes (WHATWG HTML, 9.2): lines end in CR, LF or CRLF, and comments are no data."""

from __future__ import annotations

import re

MAX_EVENT_BYTES = 64 * 1024 * 1024  # the last event of some answers repeats all of their images in base64
MAX_UNPARSED_BYTES = 64 * 1024  # of lines that belong to no event: one error object is all that is wanted of them
_FIELDS = (b"event", b"id", b"retry")
_SINGLE_EVENT = re.compile(
    rb"(?:event: [^\r\n]*\r?\n)?data: ([^\r\n]*)(?:\r\n\r\n|\n\n)"
)  # as most blocks are while tokens come one by one


class EventTooLarge(Exception):
    """One event is larger than MAX_EVENT_BYTES."""


class SseDecoder:
    """Feed it blocks as they come; it gives back the data of each finished event.

    `unparsed_lines`: the lines that are no field of an event; some providers put a bare JSON error into the stream.
    """

    def __init__(self) -> None:
        self.unparsed_lines: list[bytes] = []
        self._rest = b""
        self._line_pieces: list[bytes] = []
        self._data: list[bytes] = []
        self._size_bytes = 0
        self._stray_bytes = 0

    def feed(self, block: bytes) -> list[bytes]:
        """The data of the events that `block` finishes, in order. Raises EventTooLarge."""
        if not (self._rest or self._line_pieces or self._data) and (whole := _SINGLE_EVENT.fullmatch(block)):
            self._size_bytes = 0
            return [whole[1]]
        self._size_bytes += len(block)
        if (
            b"\n" not in block and b"\r" not in block and not self._rest.endswith(b"\r")
        ):  # in the middle of a line, which may be an image: joined once, at its end
            if self._size_bytes > MAX_EVENT_BYTES:
                raise EventTooLarge
            self._line_pieces.append(block)
            return []
        if self._line_pieces:
            block = b"".join((*self._line_pieces, block))
            self._line_pieces.clear()
        *lines, self._rest = _split(self._rest + block)
        events = self._events(lines)
        if events:
            self._size_bytes = len(self._rest)
        elif self._size_bytes > MAX_EVENT_BYTES:
            raise EventTooLarge
        return events

    def close(self) -> list[bytes]:
        """What the end of the stream finishes: providers may leave out the last empty line."""
        rest, self._rest = b"".join((self._rest, *self._line_pieces)).rstrip(b"\r"), b""
        return self._events([rest, b""])

    def _events(self, lines: list[bytes]) -> list[bytes]:
        events = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            elif not line:
                if self._data:
                    events.append(b"\n".join(self._data))
                    self._data.clear()
            elif not line.startswith(b":") and line.partition(b":")[0] not in _FIELDS:
                self._stray_bytes += len(line) + 1
                if self._stray_bytes > MAX_UNPARSED_BYTES:
                    raise EventTooLarge
                self.unparsed_lines.append(line)
        return events


def _split(block: bytes) -> list[bytes]:
    """Lines, the last one unfinished; a CR at the very end stays there, for the LF may come with the next block."""
    held = b"\r" if block.endswith(b"\r") else b""
    lines = (block.removesuffix(b"\r") + b"\0").splitlines()  # of bytes: breaks at CR, LF and CRLF only
    lines[-1] = lines[-1][:-1] + held
    return lines
