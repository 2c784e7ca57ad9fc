"""The title plugin only asks; writing titles is tested at tests/chat."""

from __future__ import annotations

import pytest

from agents.engine.outcome import RunOutcome
from agents.plugins.base import PluginSettings
from agents.plugins.runner import PluginHooks
from agents.plugins.title import TitlePlugin
from tests.agents.plugins.scripted import DONE, PAUSED, Actions, facts, participants


@pytest.mark.parametrize(("outcome", "titles"), [(DONE, 1), (PAUSED, 0)])
async def test_a_title_is_due_when_a_run_is_over(outcome: RunOutcome, titles: int) -> None:
    actions = Actions()
    async with PluginHooks(participants(TitlePlugin(PluginSettings()), run=facts(actions=actions))) as hooks:
        assert await hooks.finished(outcome) == []
    assert actions.titles == titles
