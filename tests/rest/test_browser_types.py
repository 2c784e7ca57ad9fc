"""The browser's types are those of the server."""

from __future__ import annotations

from tools.browser_types import OUTPUT, types_source


def test_the_types_in_the_browser_are_current() -> None:
    assert OUTPUT.read_text() == types_source(), "The shapes have changed: run `make types`."
