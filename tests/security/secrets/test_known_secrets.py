"""A secret that comes back in another form is hidden, in whole texts and in streams, and in linear time."""

from __future__ import annotations

import base64
import html
import json
import random
import time
from collections.abc import Callable
from functools import partial
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, strategies as st

from security.known_secrets import EchoFilter

VALUE = 'Canary/key+"0123" &wxyz'
FILTER = EchoFilter.removing(VALUE)
RAW = VALUE.encode()


def in_base64(offset: int, is_url: bool) -> Callable[[str], str]:
    encode = base64.urlsafe_b64encode if is_url else base64.b64encode
    return lambda value: encode(b"abc"[:offset] + value.encode() + b"xyz").decode()


def pieces_hidden(echoes: EchoFilter, text: str) -> list[str]:
    return [echoes.stream().add(piece) for piece in text.split("b")]


FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda value: value,
    "reversed": lambda value: value[::-1],
    "hex": lambda value: value.encode().hex(),
    "hex in capitals": lambda value: value.encode().hex().upper(),
    "JSON": lambda value: json.dumps(value)[1:-1],
    "JSON twice": lambda value: json.dumps(json.dumps(value))[3:-3],
    "JSON of another language": lambda value: json.dumps(value)[1:-1].replace("/", "\\/"),
    "JSON codes": lambda value: "".join(f"\\u{ord(each):04x}" for each in value),
    "JSON codes in part": lambda value: "".join(f"\\u{ord(each):04X}" if each in 'C+"' else each for each in value),
    "URL": lambda value: quote(value, safe=""),
    "URL in part": quote,
    "URL form": lambda value: quote_plus(value),
    "URL in small letters": lambda value: quote(value, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
    "URL twice": lambda value: quote(quote(value, safe=""), safe=""),
    "URL in full": lambda value: "".join(f"%{byte:02X}" for byte in value.encode()),
    "program text": lambda value: "".join(f"\\x{byte:02x}" for byte in value.encode()),
    "HTML": lambda value: "".join(f"&#{ord(each)};" for each in value),
    "HTML hex": lambda value: "".join(f"&#x{ord(each):X};" for each in value),
    **{
        f"base64 after {offset} bytes{' for URLs' if is_url else ''}": (in_base64(offset, is_url))
        for offset in range(3)
        for is_url in (False, True)
    },
}


@pytest.mark.parametrize("name", FORMS)
def test_a_secret_is_hidden_in_every_form(name: str) -> None:
    output = FILTER.hide(f"It said {FORMS[name](VALUE)}, twice: {FORMS[name](VALUE)}.")
    assert output.count("[removed]") == 2
    assert output.startswith("It said ")
    remainder = output.replace("[removed]", "")
    assert len(remainder) < len("It said , twice: .") + 24, "only what belongs to the bytes around it"
    assert html.unescape(remainder) == remainder


@pytest.mark.parametrize("name", [name for name in FORMS if "part" not in name and "HTML" not in name and "twice" not in name])
@pytest.mark.parametrize("sizes", [[1], [2], [3, 1], [7], [1000]])
def test_a_secret_is_hidden_in_a_stream_wherever_it_is_cut(name: str, sizes: list[int]) -> None:
    text = f"It said {FORMS[name](VALUE)}, twice: {FORMS[name](VALUE)}."
    whole = FILTER.hide(text)
    for first in range(4):
        output = streamed(text, [first, *sizes])
        assert output.count("[removed]") == 2
        # Up to three characters of a secret may have been shown before it was recognized.
        assert len(whole) <= len(output) <= len(whole) + 6


def streamed(text: str, sizes: list[int]) -> str:
    stream, pieces, at, number = FILTER.stream(), [], 0, 0
    while at < len(text):
        size = sizes[min(number, len(sizes) - 1)]
        pieces.append(stream.add(text[at : at + size]))
        at, number = at + size, number + 1
    return "".join([*pieces, stream.end()])


@given(st.lists(st.sampled_from([VALUE[:3], VALUE[:5], VALUE[4:], VALUE, "Can", "Canary", "w", " ", "tea", VALUE[::-1][:6]]), max_size=30))
def test_what_is_no_secret_is_shown_unchanged_and_in_order(pieces: list[str]) -> None:
    stream = FILTER.stream()
    output = "".join([*map(stream.add, pieces), stream.end()])
    text = "".join(pieces)
    if VALUE not in text:
        assert output == text
    else:
        assert VALUE not in output
        assert output.count("[removed]") == text.count(VALUE)


def test_nothing_is_held_back_of_ordinary_text() -> None:
    stream, piece = FILTER.stream(), "tea and cake"
    assert stream.add(piece) is piece
    assert [stream.add("C"), stream.add("a"), stream.add("n")] == ["C", "a", "n"]
    assert stream.add(" do it") == " do it"


def test_two_secrets_have_their_own_replacements_and_the_longer_one_is_found() -> None:
    both = EchoFilter({"abcdefgh": "<1>", "abcdefgh-ijkl": "<2>"})
    assert both.hide("abcdefgh abcdefgh-ijkl") == "<1> <2>"


def test_a_short_value_is_hidden_as_it_is_only() -> None:
    short = EchoFilter.removing("tea1")
    assert short.hide("tea1 1aet dGVhMQ== 74656131") == "[removed] 1aet dGVhMQ== 74656131"


def test_the_time_is_linear_in_the_text_also_for_hostile_ones() -> None:
    """Four times the text takes four times the time; ten times is a busy machine, sixteen would be quadratic."""
    key = "a" * 60 + "b"
    hostile = EchoFilter.removing(key)
    for unit in ("a" * 50, "\\" * 50, "%61" * 20, "%25" * 20, "&#0097;" * 8):
        short, long = unit * 200, unit * 800
        times = [min(timed(partial(hostile.hide, text)) for _ in range(3)) for text in (short, long)]
        assert times[1] < 10 * times[0] + 0.005, unit
        stream = [min(timed(partial(pieces_hidden, hostile, text)) for _ in range(3)) for text in (short, long)]
        assert stream[1] < 10 * stream[0] + 0.005, unit


def timed(work: Callable[[], object]) -> float:
    """Seconds of this thread's CPU: other processes do not count."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def test_a_token_costs_microseconds() -> None:
    rng = random.Random(1)
    tokens = ["".join(rng.choices("abcdefghij klmnopqrst", k=6)) for _ in range(20_000)]
    key = EchoFilter.removing("sk-proj-0123456789abcdefghijklmnopqrstuvwxyz")
    stream = key.stream()
    cost_s = min(timed(lambda: [stream.add(token) for token in tokens]) for _ in range(3)) / len(tokens)
    print(f"{cost_s * 1e6:.2f} microseconds per token")
    assert cost_s < 20e-6
