"""The OpenAI double on a real loopback port, in a thread of its own.

    with openai_double(habits=ServerQuirks(calls_in_one_delta=True)) as double:
        double.answer(Text("Hello"))
        ...  # double.base_url (ends with /v1), double.key

or ask for the fixture `openai_api`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from doubles.openai import OpenAIDouble
from tests.support.agents.gemini import TEST_KEY, serve


class ServedOpenAI(OpenAIDouble):
    """A double that knows where it is served; `base_url` has no trailing slash."""

    base_url = ""
    key = TEST_KEY


@contextmanager
def openai_double(**options: Any) -> Iterator[ServedOpenAI]:
    """A fresh double, served until the block ends. `options`: OpenAIDouble's."""
    double = ServedOpenAI(**options)
    with serve(double) as url:
        double.base_url = f"{url}/v1"
        yield double


@pytest.fixture
def openai_api() -> Iterator[ServedOpenAI]:
    with openai_double() as double:
        yield double
