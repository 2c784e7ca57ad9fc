"""The title plugin only asks; writing titles is tested at tests/chat."""

from __future__ import annotations

from contextlib import aclosing

from agents.plugins.hooks import PluginHooks
from agents.plugins.plugin import PluginSettings
from agents.plugins.title import TitlePlugin
from tests.agents.plugins.scripted import DONE, Actions, facts, participants


async def test_a_title_is_due_when_a_run_is_over() -> None:
    actions = Actions()
    async with aclosing(PluginHooks(participants(TitlePlugin(PluginSettings()), run=facts(actions=actions)))) as hooks:
        assert await hooks.finished(DONE) == []
    assert actions.titles == 1
