"""The demo provider's suggestions, asked for with the product's own prompt over the real wire."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.genai import types

from agents.plugins.lifecycle import Exchange
from agents.plugins.suggestions import PROMPT, parse_suggestions, request_text
from doubles.demo import DemoScript
from tests.doubles.sdk import stream, text_of
from tests.support.agents.gemini import ServedGemini, gemini_double

CONFIG = types.GenerateContentConfig(system_instruction=PROMPT, max_output_tokens=1024)


@pytest.fixture(scope="module")
def demo() -> Iterator[ServedGemini]:
    with gemini_double(keys=None, models=None, fallback=DemoScript(pace=0)) as double:
        yield double


@pytest.mark.parametrize(
    ("question", "answer", "first"),
    [
        ("Please tell me about solar energy", "The sun gives light.", "Write a short document about solar energy."),
        ("", "Hello!", "Write a short document about this conversation."),
        ("ما هي عاصمة ألمانيا؟", "Berlin.", "Write a short document about this conversation."),
        (f"Explain {'wort' * 10}", "It is long.", "Write a short document about this conversation."),
        ("What is 5 + 3?", "8", "Write a short document about this conversation."),
        ("Write an essay", "It is ready to read and to edit.", "Make it shorter."),
    ],
)
async def test_the_demo_suggests_what_it_can_answer(demo: ServedGemini, question: str, answer: str, first: str) -> None:
    prompt = request_text(Exchange(question, answer), count=3)
    items = parse_suggestions(text_of(await stream(demo, prompt, CONFIG, model="demo-standard")))
    assert items[0] == first
    assert len(items) == 3
