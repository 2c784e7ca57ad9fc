"""Server-sent events, cut into blocks anywhere."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

from agents.providers import streaming
from agents.providers.streaming import EventTooLarge, SseDecoder, WholeBodyDecoder

STREAMS: list[tuple[bytes, list[bytes], list[bytes]]] = [
    (b"", [], []),
    (b"data: 1\n\ndata: 2\n\n", [b"1", b"2"], []),
    (b"data: 1\r\n\r\ndata: 2\r\n\r\n", [b"1", b"2"], []),
    (b"data: 1\r\rdata: 2\r\r", [b"1", b"2"], []),
    (b"data:1\n\ndata:  2\n\n", [b"1", b" 2"], []),
    (b"data: a\ndata: b\n\n", [b"a\nb"], []),
    (b"event: x\ndata: 1\n\nevent: y\r\ndata: 2\r\n\r\n", [b"1", b"2"], []),
    (b": keep-alive\n\nevent: x\nid: 1\nretry: 5\ndata: 1\n\n", [b"1"], []),
    (b"data: 1", [b"1"], []),  # the last empty line is missing
    (b"data: 1\r\n", [b"1"], []),
    ("data: a\u2028b\u0085c\n\n".encode(), ["a\u2028b\u0085c".encode()], []),  # no line ends here
    (b"data: a\0b\n\n", [b"a\0b"], []),
    (b'data: 1\n\n{\n  "error": {}\n}\n', [b"1"], [b"{", b'  "error": {}', b"}"]),
    (b"<html>\n", [], [b"<html>"]),
]


def decode(blocks: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    decoder = SseDecoder()
    events = [event for block in blocks for event in decoder.feed(block)]
    return events + decoder.close(), decoder.unparsed_lines


@pytest.mark.parametrize(("stream", "events", "unparsed_lines"), STREAMS)
def test_events_and_stray_lines(stream: bytes, events: list[bytes], unparsed_lines: list[bytes]) -> None:
    assert decode([stream]) == (events, unparsed_lines)
    assert decode([stream[i : i + 1] for i in range(len(stream))]) == (events, unparsed_lines)


@given(st.sampled_from(STREAMS), st.lists(st.integers(0, 60), max_size=6))
def test_where_blocks_end_does_not_matter(case: tuple[bytes, list[bytes], list[bytes]], cuts: list[int]) -> None:
    stream, events, unparsed_lines = case
    places = [0, *sorted(cuts), len(stream)]
    assert decode([stream[a:b] for a, b in itertools.pairwise(places)]) == (events, unparsed_lines)


def test_an_event_comes_out_as_soon_as_it_is_whole() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: 1\r\n\r") == []
    assert decoder.feed(b"\n") == [b"1"]


def test_an_event_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "MAX_EVENT_BYTES", 1000)
    decoder = SseDecoder()
    for _ in range(9):
        assert decoder.feed(b"data: " + b"x" * 100) == []
    with pytest.raises(EventTooLarge):
        decoder.feed(b"data: " + b"x" * 100)


@pytest.mark.parametrize(
    ("body", "events", "unparsed_lines"),
    [
        (b'{"a":\n 1}', [b'{"a":\n 1}'], []),
        (b'{"error": {}}\n\ndata: [DONE]\n\n', [b"[DONE]"], [b'{"error": {}}']),
    ],
)
def test_a_body_that_is_no_stream(body: bytes, events: list[bytes], unparsed_lines: list[bytes]) -> None:
    decoder = WholeBodyDecoder()
    assert [decoder.feed(body[i : i + 1]) for i in range(len(body))] == [[]] * len(body)
    assert (decoder.close(), decoder.unparsed_lines) == (events, unparsed_lines)


def test_a_body_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "MAX_EVENT_BYTES", 1000)
    decoder = WholeBodyDecoder()
    with pytest.raises(EventTooLarge):
        decoder.feed(b"{" * 1001)
