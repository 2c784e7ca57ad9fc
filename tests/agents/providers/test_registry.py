"""From a provider's name to its model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from admin_config.defaults.platform import PROVIDERS
from admin_config.defaults.wires import NOT_SENT, SENT_WHERE_TAKEN, WIRES
from agents.errors import KeyMissing, RequestRefused
from agents.messages import ModelResponse, TextDelta
from agents.providers.provider_model import ProviderModel
from agents.providers.registry import language_model
from doubles.demo import DemoScript, DemoServer
from doubles.script import Fault, Text
from tests.agents.providers.harness import MODEL_3, connection, request
from tests.support.agents.gemini import ServedGemini, gemini_double, serve
from tests.support.agents.model_calls import OpenedModel

URL = "http://127.0.0.1:9"
SAMPLING: dict[str, Any] = {
    "temperature": 0.5,
    "top_p": 0.5,
    "top_k": 7,
    "presence_penalty": 0.5,
    "frequency_penalty": 0.5,
    "seed": 7,
    "stop_sequences": ("END",),
}


async def test_google_without_a_key_says_where_to_enter_one() -> None:
    async with connection(URL, key=None) as provider_connection:
        with pytest.raises(KeyMissing, match="admin") as caught:
            language_model("google", provider_connection)
    assert caught.value.action == "settings"


async def test_an_unknown_provider_is_refused() -> None:
    async with connection(URL) as provider_connection:
        with pytest.raises(RequestRefused, match="other"):
            language_model("other", provider_connection)


async def test_the_demo_provider_needs_no_key_and_marks_what_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "the-platforms-key")
    with gemini_double(keys=None) as double:
        double.answer(Text("Hi"))
        async with connection(double.base_url, key=None) as provider_connection:
            events = [event async for event in language_model("demo", provider_connection).stream(request(model=MODEL_3))]
        assert not double.requests[0].key_is("the-platforms-key")
    assert isinstance(events[-1], ModelResponse)
    assert (getattr(events[-1].entries[0], "provider_metadata", None) or {})["provider"] == "demo"


@pytest.mark.parametrize(("wire", "path"), [("demo", ""), ("demo_openai", "/v1"), ("demo_anthropic", ""), ("demo_compatible", "/v1")])
async def test_the_demo_answers_on_every_wire_without_a_key(wire: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "the-platforms-key")
    server = DemoServer(DemoScript(pace=0))
    with serve(server) as url:
        async with connection(url + path, key=None) as provider_connection:
            model = language_model(wire, replace(provider_connection, api_version=""))
            events = [event async for event in model.stream(request(model="any-demo", thinking_budget=None))]
    assert isinstance(events[-1], ModelResponse)
    assert "demo provider" in str(events[-1].entries)
    [http_request] = [http_request for double in (server.gemini, server.anthropic, server.openai) for http_request in double.requests]
    assert not http_request.key_is("the-platforms-key")
    assert "the-platforms-key" not in str(http_request.headers)


async def test_a_busy_provider_is_tried_again(gemini: ServedGemini) -> None:
    gemini.answer(Fault.status(503))
    gemini.answer(Text("Hi", pieces=["Hi"]))
    async with connection(gemini.base_url) as provider_connection:
        events = [event async for event in OpenedModel(language_model("google", provider_connection)).stream(request())]
    assert events[0] == TextDelta("Hi")
    assert len(gemini.requests) == 2


@pytest.mark.parametrize(
    ("provider", "model_id"), [("google", MODEL_3), ("openai", "gpt-4.1"), ("anthropic", "claude-demo"), ("compatible", "m")]
)
async def test_the_table_of_wires_says_which_settings_are_not_sent(provider: str, model_id: str) -> None:
    async with connection(URL) as provider_connection:
        model = language_model(provider, provider_connection)
        assert isinstance(model, ProviderModel)
        plain = model.build_request(request(model=model_id)).content
        sent_names = {
            name for name, value in SAMPLING.items() if model.build_request(request(model=model_id, **{name: value})).content != plain
        }
    notes = WIRES[PROVIDERS[provider].wire].setting_notes
    assert sent_names == {name for name in SAMPLING if notes.get(name) not in (NOT_SENT, SENT_WHERE_TAKEN)}
