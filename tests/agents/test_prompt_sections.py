"""The system prompt's sections and their order."""

from __future__ import annotations

import pytest

from agents.messages import SystemPrompt
from agents.prompts import Section, compose_sections


def test_sections_are_tagged_in_order_and_empty_ones_are_left_out() -> None:
    prompt = compose_sections([Section("identity", " You are Parley.\n"), Section("rules", "  ")], [Section("environment", "date: today")])
    assert prompt == SystemPrompt("<identity>\nYou are Parley.\n</identity>", "<environment>\ndate: today\n</environment>")
    assert str(prompt) == "<identity>\nYou are Parley.\n</identity>\n\n<environment>\ndate: today\n</environment>"


@pytest.mark.parametrize("name", ["", "Identity", "a b", "a>", "1a"])
def test_a_name_that_is_no_tag_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        Section(name, "text")
