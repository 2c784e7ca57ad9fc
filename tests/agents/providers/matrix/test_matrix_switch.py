"""A conversation that changes its provider: what each one and each mode recorded is continued by each other one (SPEC 2.2).

The strict doubles refuse what the APIs refuse. A provider's own data (signatures, encrypted reasoning) go back to it verbatim and to
nobody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd
from agents.engine.ports import ToolContext, ToolOutcome
from agents.errors import ToolFailed
from agents.messages import AssistantText, CompactedHistory, Entry, File, Reminder, ToolCall, ToolResult, UserMessage
from doubles.script import Call, CitedText, Item, ProviderTool, Text, Thought
from doubles.signals import Gate
from tests.agents.engine.scripted import FunctionTool
from tests.agents.providers.matrix.modes import ALL_MODES, ANTHROPIC, GOOGLE, MISTRAL, OPENAI, Double, ProviderMode
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal


def pair(first: ProviderMode, second: ProviderMode) -> Any:
    """The modes that follow each other in the list are played always, either way; the others at night."""
    distance = abs(ALL_MODES.index(first) - ALL_MODES.index(second))
    always = distance in {1, len(ALL_MODES) - 1}
    return pytest.param(first, second, id=f"{first} to {second}", marks=() if always else pytest.mark.nightly)


PAIRS = [pair(first, second) for first in ALL_MODES for second in ALL_MODES if first is not second]
PAGE = ("https://tea.example/", "Tea")
SEARCH = ProviderTool("web_search", {"query": "tea"}, pages=[PAGE])
OPAQUE = 40  # characters; a provider's own data are longer, nothing else in these conversations is


async def _work(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
    if arguments.get("word") == "bad":
        raise ToolFailed("No such word.")
    return ToolOutcome({"meaning": "ok", "of": [1, "größer"]}, entries=(Reminder("Words are many."),))


class Conversation:
    """One journal, whichever mode answers."""

    def __init__(self, *history: Entry) -> None:
        self.journal = MemoryJournal(history)
        self.inbox = MemoryInbox().of(self.journal)
        self.tools = [FunctionTool(run=_work), FunctionTool("look_again", run=_work)]
        self._stack = ExitStack()
        self._doubles: dict[ProviderMode, Double] = {}

    def double(self, mode: ProviderMode) -> Double:
        if mode not in self._doubles:
            self._doubles[mode] = self._stack.enter_context(mode.serve())
        return self._doubles[mode]

    def close(self) -> None:
        self._stack.close()

    async def asks(self, text: str, mode: ProviderMode, *answers: list[Item]) -> None:
        """The user's message, and the whole answer of that mode."""
        await self.journal.append(UserMessage(text))
        await self.runs(mode, *answers)

    async def runs(self, mode: ProviderMode, *answers: list[Item]) -> None:
        double = self.double(mode)
        for answer in answers:
            double.answer(*map(mode.as_sent, answer))
        async with mode.open_model(double) as model:
            outcome = await run_agent(mode.agent, model=model, tools=self.tools, journal=self.journal, inbox=self.inbox)
        assert [request.refusal for request in double.requests if request.refusal] == []
        assert (outcome.end, double.queued_count) == (RunEnd.ANSWERED, 0)

    def last_request(self, mode: ProviderMode) -> str:
        """The last request to this mode, as it went over the wire."""
        return self.double(mode).requests[-1].raw.decode()

    def opaque(self, mode: ProviderMode) -> set[str]:
        """The own data of this mode's model in the journal."""
        return {text for entry in self.journal.entries for text in _opaque_of(entry, mode.model)}


def _opaque_of(entry: Entry, model: str) -> Iterator[str]:
    provider_metadata = getattr(entry, "provider_metadata", None)
    if provider_metadata and provider_metadata.get("model") == model:
        yield from _long_texts({name: value for name, value in provider_metadata.items() if name not in ("provider", "model")})


def _long_texts(value: Any) -> Iterator[str]:
    match value:
        case str() if len(value) >= OPAQUE and " " not in value:
            yield value
        case Mapping():
            for inner in value.values():
                yield from _long_texts(inner)
        case list() | tuple():
            for inner in value:
                yield from _long_texts(inner)


@pytest.fixture
def talk() -> Iterator[Conversation]:
    conversation = Conversation()
    yield conversation
    conversation.close()


async def full_turn(talk: Conversation, mode: ProviderMode) -> None:
    """Thinking, a search, text, parallel calls of which one fails, a call of a tool that is not there, more thinking, an answer that cites."""
    await talk.journal.append(File("f1", "notes.txt", "text/plain", 5, "Words."))
    await talk.asks(
        "Look these up.",
        mode,
        [Thought("Two words."), SEARCH, Text("Looking."), Call("look_up", {"word": "a"}), Call("look_up", {"word": "bad"})],
        [Thought("Another."), Call("nothing", {"word": "b"}), Call("look_again", {"word": "b"})],
        [Thought("So."), SEARCH, CitedText("Found.", pages=[PAGE])],
    )


@pytest.mark.parametrize(("first", "second"), PAIRS)
class TestPairs:
    async def test_a_conversation_changes_its_provider_and_back(
        self, talk: Conversation, first: ProviderMode, second: ProviderMode
    ) -> None:
        await full_turn(talk, first)
        await talk.asks("And now?", second, [Thought("Hm."), Call("look_up", {"word": "c"}, id="call-1")], [Text("That, too.")])
        assert not any(own in talk.last_request(second) for own in talk.opaque(first)), "what the first one signed stays with it"
        own = talk.opaque(first)
        await talk.asks("And back?", first, [Thought("Right."), Call("look_again", {})], [Text("Back.")])
        assert not any(foreign in talk.last_request(first) for foreign in talk.opaque(second))
        assert {text for text in own if text not in talk.last_request(first)} == set(), "its own go back verbatim"
        assert "That, too." in talk.last_request(first)

    async def test_a_turn_is_continued_by_another_provider(self, talk: Conversation, first: ProviderMode, second: ProviderMode) -> None:
        """The first one asked for tools and was stopped; the second one reads their results."""
        await full_turn(talk, first)
        entries = list(talk.journal.entries)
        while not isinstance(entries[-1], ToolResult | Reminder):
            entries.pop()
        resumed_talk = Conversation(*entries)
        try:
            await resumed_talk.runs(second, [Text("I go on.")])
        finally:
            resumed_talk.close()

    async def test_a_message_into_a_partial_answer_goes_to_another_provider(
        self, talk: Conversation, first: ProviderMode, second: ProviderMode
    ) -> None:
        gate = Gate()
        answer: list[Item] = [Thought("Hm."), Text("Once upon", pieces=["Once upon"]), gate, Text(" a time.")]
        task = asyncio.create_task(talk.asks("A story?", first, answer, [Text("Shorter.")]))
        await gate.reached.wait_async()
        talk.inbox.message("Shorter, please!")
        await task
        await talk.asks("And now?", second, [Text("The end.")])
        assert all(words in talk.last_request(second) for words in ("Once upon", "Shorter, please!", "And now?"))

    async def test_a_compacted_history_goes_to_another_provider(
        self, talk: Conversation, first: ProviderMode, second: ProviderMode
    ) -> None:
        await full_turn(talk, first)
        entry_count = len(talk.journal.entries)
        await talk.asks("More?", first, [Thought("Hm."), Call("look_up", {"word": "d"})], [Text("More.")])
        await talk.journal.append(CompactedHistory("Older turns: words were looked up.", covers=entry_count, turns=3))
        await talk.asks("And now?", second, [Call("look_up", {"word": "e"})], [Text("This.")])
        assert "Older turns" in talk.last_request(second)
        assert "Look these up." not in talk.last_request(second)


async def test_the_ids_and_names_of_calls_of_any_provider_are_taken_by_all(talk: Conversation) -> None:
    strange = ToolCall("functions.look_up:0/" + "x" * 80, "nothing like this!", {"word": "größer"})
    await talk.journal.append(UserMessage("Hello"), AssistantText("Hm."), strange, ToolResult(strange.id, strange.name, "", is_error=True))
    await talk.journal.append(AssistantText("So."))
    for mode in ALL_MODES:
        await talk.asks("And now?", mode, [Text(f"From {mode}.")])


async def test_mistrals_models_continue_what_any_provider_recorded(talk: Conversation) -> None:
    """Its API refuses long ids of calls, and a user who speaks right after results, with the whole conversation."""
    await talk.journal.append(UserMessage("Hello"), ToolCall("toolu_01-x", "look_up", {}), ToolResult("toolu_01-x", "look_up", "ok"))
    await talk.asks("I stopped that. And now?", MISTRAL, [Call("look_up", {"word": "a"}, id="abcDEF123")], [Text("Done.")])
    assert "abcDEF123" in talk.last_request(MISTRAL)


async def test_a_conversation_round_all_providers_twice(talk: Conversation) -> None:
    for turn in range(2):
        for mode in ALL_MODES:
            await talk.asks(f"Turn {turn}?", mode, [Thought("Hm."), Call("look_up", {"word": "a"})], [Thought("So."), Text("Yes.")])
    for mode in (GOOGLE, OPENAI, ANTHROPIC):
        assert talk.opaque(mode), "each has data of its own to keep"
