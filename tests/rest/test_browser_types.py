"""The browser's types are those of the server."""

from __future__ import annotations

from tools.browser_types import OUTPUT, generated


def test_the_types_in_the_browser_are_current() -> None:
    assert OUTPUT.read_text() == generated(), "The shapes have changed: run `make types`."
