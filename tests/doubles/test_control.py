"""Scripting a double over HTTP, as a test does whose double runs in another process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from doubles.control import answer_to_json, item_from_json, item_to_json
from doubles.script import Call, Fault, Finish, Item, Pause, Text, Thought, Usage
from doubles.signals import Gate
from tests.doubles.sdk import http_client, open_stream, text_of
from tests.support.agents.gemini import ServedGemini, gemini_double


@pytest.fixture
def double_with_control() -> Iterator[ServedGemini]:
    with gemini_double(control=True) as double:
        yield double


@pytest.mark.parametrize(
    "item",
    [
        Text("a", pieces=["a"]),
        Thought("b"),
        Call("f", {"x": [1, None]}, id="1"),
        Usage(1, 2, 3, 4),
        Finish("MAX_TOKENS"),
        Pause(0.5),
        Fault.status(429, "Wait.", retry_after_s=2),
        Fault.cut(),
    ],
)
def test_an_item_travels_unchanged(item: Item) -> None:
    assert item_from_json(item_to_json(item), {}) == item


async def test_answers_gates_and_records_work_from_outside(double_with_control: ServedGemini) -> None:
    script = answer_to_json(Text("one", pieces=["one"]), Gate("hold"), Text("two", pieces=["two"]), system="chat")
    async with http_client(double_with_control) as http:
        assert (await http.post("/control/script", content=script)).status_code == 200
        async with open_stream(double_with_control, config={"system_instruction": "A chat agent."}) as chunks:
            assert text_of([await anext(chunks)]) == "one"
            gate_state = (await http.get("/control/gates/hold")).json()
            await http.post("/control/gates/hold")
            assert text_of([chunk async for chunk in chunks]) == "two"
        [request] = (await http.get("/control/requests")).json()
        await http.post("/control/reset")
        assert (await http.get("/control/requests")).json() == []
    assert gate_state["released"] is False
    assert request["model"] == "gemini-2.5-flash"
    assert "test-key" not in str(request)


@pytest.mark.parametrize("script", [b"[{", b'[{"items": [{"item": "song"}]}]', b'[{"items": [], "volume": 11}]'])
async def test_a_script_that_makes_no_sense_is_refused(double_with_control: ServedGemini, script: bytes) -> None:
    async with http_client(double_with_control) as http:
        assert (await http.post("/control/script", content=script)).status_code == 400


async def test_a_double_without_control_has_no_such_path(gemini: ServedGemini) -> None:
    async with http_client(gemini) as http:
        assert (await http.get("/control/requests")).status_code == 404
