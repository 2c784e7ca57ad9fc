"""What the demo does with tools: of the provider, and of an admin by their names."""

from __future__ import annotations

from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd
from agents.engine.ports import ToolContext, ToolOutcome
from agents.messages import (
    BuiltinTool,
    File,
    ModelSettings,
    ProviderToolCall,
    Source,
    UserMessage,
)
from agents.providers.google.contents import build_contents
from doubles.demo import DemoScript
from doubles.script import ReceivedRequest, Text
from tests.agents.engine.scripted import FunctionTool
from tests.doubles.demo_talk import MODEL, Talk, demo, document_agent
from tests.support.agents.gemini import ServedGemini

__all__ = ["demo"]


class TestWhatTheProviderRuns:
    """Played with and without functions beside it, and only where the request offers it."""

    @pytest.mark.parametrize("functions", [True, False])
    @pytest.mark.parametrize(
        ("message", "tool"),
        [
            ("Search the web for solar energy", "web_search"),
            ("Read https://tea.example/page.", "url_context"),
            ("Run some Python code", "code_execution"),
        ],
    )
    async def test_a_provider_tool_is_shown_with_its_sources(self, demo: ServedGemini, message: str, tool: str, functions: bool) -> None:
        talk = Talk(demo, *([document_agent()] if functions else []), settings=ModelSettings(builtin_tools=tuple(BuiltinTool)))
        await talk.say(message)
        assert [entry.name for entry in talk.answer if isinstance(entry, ProviderToolCall)] == [tool]
        assert "demo provider" in talk.text
        sources = [entry.url for entry in talk.answer if isinstance(entry, Source)]
        assert (len(sources) > 5) is (tool == "web_search")
        await talk.say("Thanks")  # and all of it goes back

    async def test_the_chat_agent_lets_the_agent_for_it_do_it(self, demo: ServedGemini) -> None:
        async def search(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
            return ToolOutcome({"result": "Tea is green.", "sources": [{"url": "https://tea.example/", "title": "Tea"}]})

        talk = Talk(demo, FunctionTool("provider_tools_agent", search), settings=ModelSettings(builtin_tools=tuple(BuiltinTool)))
        await talk.say("Search the web for solar energy")
        assert [dict(call.arguments) for call in talk.calls] == [{"task": "Search the web for solar energy"}]
        assert talk.text == "Tea is green."

    async def test_a_task_of_many_steps_is_done_by_three_agents(self, demo: ServedGemini) -> None:
        async def done(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
            return ToolOutcome({"result": "Done."})

        names = ["provider_tools_agent", "document_agent", "mermaid_agent"]
        talk = Talk(demo, *(FunctionTool(name, done) for name in names), max_steps=5)
        assert (await talk.say("Work in many steps")).end is RunEnd.ANSWERED
        assert [call.name for call in talk.calls] == names
        assert "All three are done" in talk.text

    async def test_without_the_provider_tool_the_answer_says_where_to_switch_it_on(self, demo: ServedGemini) -> None:
        talk = Talk(demo, document_agent())
        await talk.say("Search the web for solar energy")
        assert "switched off" in talk.text

    async def test_a_file_that_came_as_it_is(self, demo: ServedGemini) -> None:
        contents = build_contents([File("f", "a.png", "image/png", 9), UserMessage("What is this?")], "google", MODEL, {"f": b"\x89PNG"})
        request = ReceivedRequest(1, "", {}, {}, model=MODEL, user_text="What is this?", contents=contents)
        text = "".join(item.text for item in DemoScript(pace=0)(request).items if isinstance(item, Text))
        assert "**a.png** (image/png) as it is" in text


class TestWhatAnAdminMade:
    @pytest.mark.parametrize(
        ("message", "tool", "arguments"),
        [
            ('Use `orders` with {"number": "7"}', "orders", {"number": "7"}),
            ("Use the tool orders.", "orders", {}),
            ('Ask `clerk` to use `orders` with {"number": "7"}', "clerk", {"task": 'use `orders` with {"number": "7"}'}),
        ],
    )
    async def test_an_admins_tool_is_called_by_its_name(
        self, demo: ServedGemini, message: str, tool: str, arguments: dict[str, str]
    ) -> None:
        async def order(call_arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
            return ToolOutcome({"state": "sent"})

        talk = Talk(demo, FunctionTool("orders", order), FunctionTool("clerk", order), document_agent())
        await talk.say(message)
        assert [(call.name, dict(call.arguments)) for call in talk.calls] == [(tool, arguments)]
        assert '"state": "sent"' in talk.text

    async def test_a_name_that_the_agent_does_not_have_is_a_word_like_others(self, demo: ServedGemini) -> None:
        talk = Talk(demo, document_agent())
        await talk.say("Use `orders` please, what can I try?")
        assert talk.calls == []
        assert "Ask `order_clerk`" in talk.text
