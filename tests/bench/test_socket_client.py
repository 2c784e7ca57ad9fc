"""The frames of a server's WebSocket stream, however they come in."""

from __future__ import annotations

import pytest
from websockets.frames import Frame, Opcode

from bench.clients import MeasureError, frames_of

PAYLOADS = [b"", b"a", b"b" * 125, b"c" * 126, b"d" * 65_535, b"e" * 65_536]
STREAM = b"".join(Frame(Opcode.TEXT, payload).serialize(mask=False) for payload in PAYLOADS)


@pytest.mark.parametrize("size", [1, 2, 3, 127, 1000, len(STREAM)])
def test_frames_are_whole_whatever_pieces_they_came_in(size: int) -> None:
    payloads: list[bytes] = []
    rest = b""
    for at in range(0, len(STREAM), size):
        frames, rest = frames_of(rest + STREAM[at : at + size])
        payloads += [payload for _, payload in frames]
    assert (payloads, rest) == (PAYLOADS, b"")


def test_a_part_of_a_message_is_refused() -> None:
    with pytest.raises(MeasureError, match="several frames"):
        frames_of(Frame(Opcode.TEXT, b"half", fin=False).serialize(mask=False))
