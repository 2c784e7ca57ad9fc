"""How smoothly a conversation of 5,000 messages works in this machine's browser: python -m pytest -s tests/e2e/chat/chat_speed.py

The figures are in docs/performance.md. Not part of the test run: a busy machine is no fault of the chat.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import expect

from doubles.script import Answer, Pacing, Text
from tests.e2e.artifacts.panel_speed import PATIENCE_MS, ROUNDS, TOKENS, TOKENS_PER_S, document_of, watched_page
from tests.e2e.chat.diaries import add_diary
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider, is_chat
from tests.support.system.product import Product

MESSAGES_OF_A_DAY = 50
OPENINGS = 7
GOAL_S = 1.0


@pytest.fixture(autouse=True)
def _patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def diary(product: Product, messages: int) -> str:
    """Return the path of a new conversation."""
    return f"c/{add_diary(product, messages // MESSAGES_OF_A_DAY, MESSAGES_OF_A_DAY)}/"


def median_s(act: Callable[[], Any]) -> float:
    """Return how long the act takes, the median of several after one that fills the caches."""
    times = []
    for _ in range(OPENINGS + 1):
        start_s = time.monotonic()
        act()
        times.append(time.monotonic() - start_s)
    return statistics.median(times[1:])


def test_a_long_conversation_opens_within_a_second(visit: Visit, product: Product) -> None:
    chat = visit(fresh="figures of a first visit")
    empty = median_s(lambda: expect(chat.open().composer).to_be_visible())
    short, long = (median_s(partial(_open, chat, diary(product, count), f"Note {count}")) for count in (50, 5_000))
    print(f"load a page: empty {empty:.2f} s, a conversation of 50 messages {short:.2f} s, of 5,000 {long:.2f} s")
    assert long < GOAL_S or long < 1.2 * short, "on a busy machine only the ratio says something"


def _open(chat: ChatPage, path: str, text: str) -> None:
    chat.open(path)
    expect(chat.questions.last).to_contain_text(text)


@pytest.mark.parametrize("messages", [50, 5_000])
@pytest.mark.parametrize("turn", range(ROUNDS))
def test_an_answer_streams_into_a_long_conversation_without_a_long_task(
    visit: Visit, model: ScriptedProvider, product: Product, turn: int, messages: int
) -> None:
    chat, watch = watched_page(visit)
    answer = Answer((Text(document_of(TOKENS)),), Pacing(tokens_per_s=TOKENS_PER_S))
    model.answer_by(lambda request: answer if is_chat(request) else None)
    _open(chat, diary(product, messages), f"Note {messages}")
    with watch.during():
        chat.say("Tell me all about tea.")
        chat.rests()
    print(f"{TOKENS} tokens at {TOKENS_PER_S} tokens/s into a conversation of {messages} messages: {watch}, {watch.long_tasks}")
    assert watch.long_tasks == []


def test_a_reader_goes_back_through_a_long_conversation(visit: Visit, product: Product) -> None:
    chat, watch = watched_page(visit)
    _open(chat, diary(product, 5_000), "Note 5000")
    chat.questions.last.hover()
    with watch.during():
        for _ in range(100):
            chat.page.mouse.wheel(0, -1_500)
    print(f"100 wheel steps back in a conversation of 5,000 messages: {watch}, {watch.long_tasks}")
    assert watch.long_tasks == []
