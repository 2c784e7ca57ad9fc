"""Images that models make, over every wire: what comes out, and what goes back where."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace

import pytest

from agents.messages import (
    AnswerFile,
    AssistantText,
    BuiltinTool,
    Entry,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    SystemPrompt,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.providers.native_files import with_model_files_as_files
from agents.providers.openai.hosted_tools import NO_IMAGE
from agents.providers.streaming import SseDecoder
from doubles.script import Picture, Text, Thought
from tests.agents.providers.harness import collect
from tests.agents.providers.matrix.modes import ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI, Double, ProviderMode, compatible

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
ENCODED = b64encode(PNG).decode()
GATEWAY = replace(COMPATIBLE, name="a gateway", serve=compatible(images=True))
MAKERS = (GOOGLE, OPENAI, GATEWAY)
SETTINGS = ModelSettings(thinking_budget=2000, builtin_tools=(BuiltinTool.IMAGE_GENERATION,), native_files=("image",))


async def ask(mode: ProviderMode, double: Double, *entries: Entry, attachments: dict[str, bytes] | None = None) -> list[ModelEvent]:
    model_request = ModelRequest(
        model=mode.model, system=SystemPrompt("Be kind."), entries=entries, settings=SETTINGS, attachments=attachments or {}
    )
    async with mode.open_model(double) as model:
        events = await collect(model, model_request)
    assert double.requests[-1].refusal is None
    return events


def stored_entries(events: list[ModelEvent]) -> tuple[Entry, ...]:
    """The answer's entries as they are once the file is stored."""
    response = events[-1]
    assert isinstance(response, ModelResponse)
    return tuple(
        replace(entry, id="f1", name="image.png", size_bytes=len(PNG), unsaved_base64="") if isinstance(entry, AnswerFile) else entry
        for entry in response.entries
    )


@pytest.mark.parametrize("mode", MAKERS, ids=str)
async def test_an_image_is_shown_when_it_is_there_and_goes_back_to_who_made_it(mode: ProviderMode) -> None:
    """The doubles refuse a lost signature and an item's settings; what goes back has the bytes of the file."""
    with mode.serve() as double:
        double.answer(Thought("Hm."), Text("Here. ", pieces=["Here. "]), Picture(PNG), Text("So.", pieces=["So."]))
        double.answer(Text("A tree."))
        double.answer(Text("I can't see it."))
        events = await ask(mode, double, UserMessage("Draw"))
        [image] = [event for event in events if isinstance(event, AnswerFile)]
        assert (image.id, image.unsaved_base64, image.media_type) == ("", ENCODED, "image/png")
        assert ENCODED not in str(image.provider_metadata), "the bytes are kept once"
        await ask(mode, double, UserMessage("Draw"), *stored_entries(events), UserMessage("What is it?"), attachments={"f1": PNG})
        assert double.requests[-1].raw.decode().count(ENCODED) == 1
        await ask(mode, double, UserMessage("Draw"), *stored_entries(events), UserMessage("What is it?"))
        raw_body = double.requests[-1].raw.decode()
        assert ENCODED not in raw_body
        assert "The assistant made this image." in raw_body


@pytest.mark.parametrize("mode", [GOOGLE, OPENAI, ANTHROPIC, COMPATIBLE], ids=str)
async def test_an_image_of_another_model_goes_as_one_that_the_assistant_made(mode: ProviderMode) -> None:
    """Before the calls of its answer, for nothing may stand between those and their results."""
    call = ToolCall("c1", "look_up", {})
    image = AnswerFile("f1", "image.png", "image/png", len(PNG), provider_metadata={"provider": "other", "model": "m", "parts": []})
    entries = (UserMessage("Draw"), AssistantText("Here."), call, image, ToolResult("c1", "look_up", "x"), UserMessage("What is it?"))
    with mode.serve() as double:
        double.answer(Text("A tree."))
        await ask(mode, double, *entries, attachments={"f1": PNG})
        raw_body = double.requests[-1].raw.decode()
    assert ENCODED in raw_body
    assert r"by=\"assistant\"" in raw_body


async def test_a_failed_image_is_told_to_the_user() -> None:
    with OPENAI.serve() as double:
        double.answer(Picture(b"", failed=True), Text("Sorry."))
        events = await ask(OPENAI, double, UserMessage("Draw"))
        [image] = [event for event in events if isinstance(event, AnswerFile)]
        assert (image.unsaved_base64, image.problem) == ("", NO_IMAGE)


def test_reading_a_long_line_takes_linear_time() -> None:
    """Each block was joined with all before it: an image of ten megabytes kept everybody waiting."""
    decoder, line = SseDecoder(), b'data: {"data": "' + b"A" * 2_000_000 + b'"}\r\n\r\n'
    events = [event for start in range(0, len(line), 1000) for event in decoder.feed(line[start : start + 1000])]
    assert events == [line[6:-4]]
    assert decoder.feed(b"data: x\r") + decoder.feed(b"\r") + decoder.feed(b"data: y") == [b"x"]
    assert decoder.feed(b"\n\n") == [b"y"]


def test_only_a_file_that_goes_as_attached_changes_its_place() -> None:
    """An answer comes back as it was, whatever the conversation has elsewhere: its parts may be signed, and what was cached stays so."""
    call, text, other = ToolCall("c1", "look_up", {}), AssistantText("Looked up."), AssistantText("Made.")
    foreign_file, own_file = (
        AnswerFile(name, name, "image/png", 3, provider_metadata={"provider": name, "model": "m"}) for name in ("foreign", "own")
    )
    without = (call, text, ToolResult("c1", "look_up", "ok"))
    entries = tuple(
        with_model_files_as_files(
            (*without, call, text, own_file, foreign_file, other), "own", "m", {"own": PNG}, takes_back_own_files=True
        )
    )
    assert entries[:3] == without
    assert [getattr(entry, "name", "") or getattr(entry, "text", "") for entry in entries[3:]] == [
        "foreign",
        "look_up",
        "Looked up.",
        "own",
        "Made.",
    ]
