"""The table of all providers, continued: files as they are, what the provider looks up itself, and answers that do not come."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

import pytest

from agents.engine.ports import LanguageModel
from agents.errors import FirstByteTimeout, RequestRefused, StreamStalled
from agents.messages import (
    AssistantText,
    Entry,
    File,
    ModelRequest,
    ProviderToolCall,
    Source,
    SystemPrompt,
    UserMessage,
)
from doubles.script import CitedText, Fault, Pacing, ProviderTool, Text, Thought
from doubles.signals import Gate
from tests.agents.engine.scripted import QUESTION
from tests.agents.providers.harness import collect
from tests.agents.providers.matrix.modes import MODES, SETTINGS, Double, ProviderMode
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryJournal
from tests.support.files.documents import pdf

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
PDF = pdf("All about tea.")
IMAGE = File("f1", "tea.png", "image/png", len(PNG))
PAPER = File("f2", "tea.pdf", "application/pdf", len(PDF), "The words of the paper.")
PAGE = ("https://tea.example/", "Tea")


@pytest.fixture(params=MODES, ids=str)
def mode(request: pytest.FixtureRequest) -> ProviderMode:
    provider_mode: ProviderMode = request.param
    return provider_mode


@pytest.fixture
def double(mode: ProviderMode) -> Iterator[Double]:
    with mode.serve() as server:
        yield server


async def ask(mode: ProviderMode, double: Double, *entries: Entry, timeout_s: float = 5.0, **files: bytes) -> str:
    """The request as it went over the wire."""
    model_request = ModelRequest(model=mode.model, system=SystemPrompt("Be kind."), entries=entries, settings=SETTINGS, attachments=files)
    async with mode.open_model(double, timeout_s) as model:
        await collect(model, model_request)
    assert double.requests[-1].refusal is None
    return double.requests[-1].raw.decode()


def encoded(data: bytes) -> str:
    return b64encode(data).decode()


async def test_an_image_is_given_as_it_is_with_its_name(mode: ProviderMode, double: Double) -> None:
    double.answer(Text("A cup."))
    raw_body = await ask(mode, double, UserMessage("What is it?"), IMAGE, f1=PNG)
    assert encoded(PNG) in raw_body
    assert "image/png" in raw_body


async def test_a_pdf_file_is_given_as_it_is_where_the_api_takes_it(mode: ProviderMode, double: Double) -> None:
    double.answer(Text("A paper."))
    raw_body = await ask(mode, double, UserMessage("What is it?"), PAPER, f2=PDF)
    assert (encoded(PDF) in raw_body, PAPER.text in raw_body) == (mode.takes_pdf, not mode.takes_pdf)


async def test_a_file_without_its_bytes_and_one_of_another_kind_are_text(mode: ProviderMode, double: Double) -> None:
    double.answer(Text("Yes."))
    raw_body = await ask(mode, double, UserMessage("Read it."), PAPER, File("f3", "tea.csv", "text/csv", 3, "a,b,c"), f3=b"a,b,c")
    assert PAPER.text in raw_body
    assert "a,b,c" in raw_body
    assert encoded(b"a,b,c") not in raw_body


async def test_what_is_no_image_is_refused_in_words(mode: ProviderMode, double: Double) -> None:
    with pytest.raises(RequestRefused, match="The provider refused the request: "):
        await ask(mode, double, UserMessage("What is it?"), IMAGE, f1=b"no image")


async def test_a_search_is_shown_with_its_sources_and_goes_back(mode: ProviderMode, double: Double) -> None:
    double.answer(Thought("Hm."), ProviderTool("web_search", {"query": "tea"}, pages=[PAGE]), CitedText("Tea is hot.", pages=[PAGE]))
    double.answer(Text("Yes."))
    journal = MemoryJournal([QUESTION])
    async with mode.open_model(double) as model:
        await run_agent(mode.agent, model=model, tools=(), journal=journal)
        await journal.append(UserMessage("Really?"))
        await run_agent(mode.agent, model=model, tools=(), journal=journal)
    assert [request.refusal for request in double.requests] == [None, None]
    tool_names = [entry.name for entry in journal.appended if isinstance(entry, ProviderToolCall)]
    sources = [entry for entry in journal.appended if isinstance(entry, Source)]
    assert (tool_names, sources) == (["web_search"] * mode.searches, [Source(*PAGE)] * mode.searches)
    assert [entry.text for entry in journal.appended if isinstance(entry, AssistantText)] == ["Tea is hot.", "Yes."]


async def test_a_first_byte_that_does_not_come(mode: ProviderMode, double: Double) -> None:
    double.answer(Text("Hi."), pacing=Pacing(first_token_s=30))
    with pytest.raises(FirstByteTimeout, match="did not begin to answer in time"):
        await ask(mode, double, UserMessage("Hello?"), timeout_s=1)
    await double.requests[0].disconnected.wait_async()


async def released_by_an_event(model: LanguageModel, model_request: ModelRequest, gate: Gate) -> None:
    async for _ in model.stream(model_request):
        gate.release()


@pytest.mark.parametrize(("limit", "words"), [("content_timeout_s", "sent nothing"), ("call_timeout_s", "took too long")])
async def test_an_endpoint_that_only_keeps_the_line_open_is_left(mode: ProviderMode, double: Double, limit: str, words: str) -> None:
    gate = Gate()
    double.answer(Text("Tea.", pieces=["Tea."]), gate, Fault.sse_comment(), Gate())
    async with mode.open_model(double, **{limit: 0.0}) as model:
        with pytest.raises(StreamStalled, match=words):
            await released_by_an_event(model, ModelRequest(model=mode.model, system=SystemPrompt("Be kind."), entries=(QUESTION,)), gate)
        await double.requests[0].disconnected.wait_async()
