"""A provider that repeats the key it refuses: nobody reads it."""

from __future__ import annotations

import pytest

from agents.errors import ProviderError
from agents.providers.key_redaction import redact_key
from agents.providers.registry import language_model
from doubles.script import Fault
from tests.agents.providers.harness import connection, request
from tests.support.agents.gemini import ServedGemini

KEY = "canary-key-0123456789"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"The key {KEY} is odd.", "The key [removed] is odd."),
        (f"{KEY} and {KEY}", "[removed] and [removed]"),
        (f"The key is {KEY[:9]}.", "The key is [removed]."),  # cut to a length
        (f"The key is {KEY[:9]}", "The key is [removed]."),
        (f"The key is {KEY[:4]}.", f"The key is {KEY[:4]}."),
        ("Nothing of it.", "Nothing of it."),
    ],
)
def test_the_key_and_a_part_at_the_end_are_removed(text: str, expected: str) -> None:
    assert redact_key(text, KEY) == expected


@pytest.mark.parametrize("before", ["", "x" * 280])  # so long that the provider's words are cut within the key
@pytest.mark.parametrize("code", [400, 401, 403, 500])
async def test_no_error_names_the_key_and_each_stays_what_it_is(gemini: ServedGemini, code: int, before: str) -> None:
    gemini.answer(Fault.status(code, f"{before} {gemini.key} is wrong"))
    gemini.answer(Fault.status(code, "It is wrong"))
    caught = []
    for _ in range(2):
        async with connection(gemini.base_url, gemini.key) as provider_connection:
            with pytest.raises(ProviderError) as error:
                _ = [event async for event in language_model("google", provider_connection).stream(request())]
            caught.append(error.value)
    assert type(caught[0]) is type(caught[1])
    assert gemini.key[:6] not in str(caught[0])
