"""What the tool lets the model write: a state that the page can hand over again (SPEC 4.12)."""

from __future__ import annotations

from typing import Any

import pytest

from agents.engine.ports import ToolContext
from agents.runtime.page_state import PageStateTool
from chat.api.frames import page_state_validate
from tests.support.agents.memory_journal import MemoryJournal

STATE: dict[str, Any] = {"title": "Tea", "note": "x" * 9_000, "rows": [], "any": None}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"title": "y" * 9_000, "any": 1}, {"any": 1}),
        ({"title": "y" * 9_000, "note": "short"}, {"title": "y" * 9_000, "note": "short"}),
        ({"rows": [[[[[]]]]], "any": [[[[[]]]]]}, {"rows": [[[[[]]]]], "any": [[[[[]]]]]}),
        ({"rows": [[[[[[]]]]]], "any": 2}, {"any": 2}),
        ({"title": None, "price": 7, "any": 3}, {"any": 3}),
    ],
)
async def test_the_page_is_asked_only_for_what_it_can_hand_over_again(arguments: dict[str, Any], expected: dict[str, Any]) -> None:
    outcome = await PageStateTool(STATE).run(arguments, ToolContext("c1", MemoryJournal()))
    assert outcome.for_client == expected
    page_state_validate(STATE | expected)
