"""A newcomer's way through the demo provider, with the real SDK and the product's own prompts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.genai import errors, types

from admin_config.defaults.artifact_prompts import DOCUMENT_CREATE_TEMPLATE, DOCUMENT_SYSTEM_PROMPT, DOCUMENT_UPDATE_TEMPLATE
from admin_config.defaults.prompts import AGENT_LOOP, TITLE_SYSTEM_PROMPT, TITLE_TEMPLATE, TOOL_USE
from doubles.demo import DemoScript, application, demo_pace
from tests.doubles.sdk import parts_of, stream, text_of
from tests.support.agents.gemini import ServedGemini, gemini_double

MODEL = "demo-standard"
TOOL = types.FunctionDeclaration(
    name="document_agent",
    description="Writes documents.",
    parameters_json_schema={"type": "object", "properties": {"operation": {"type": "string"}}, "required": ["operation"]},
)
CHAT = types.GenerateContentConfig(
    system_instruction=AGENT_LOOP + TOOL_USE,
    tools=[types.Tool(function_declarations=[TOOL])],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=1024),
)
DOCUMENT = types.GenerateContentConfig(system_instruction=DOCUMENT_SYSTEM_PROMPT)
DOCUMENT_OUTPUT = {"id": "7f0c", "title": "Solar energy", "kind": "text", "version": 1, "operation": "create"}


@pytest.fixture(scope="module")
def demo() -> Iterator[ServedGemini]:
    with gemini_double(keys=None, models=None, fallback=DemoScript(pace=0)) as double:
        yield double


async def chat(demo: ServedGemini, *contents: types.Content) -> list[types.Part]:
    return parts_of(await stream(demo, [*contents], CHAT, model=MODEL, key="demo"))


async def document(demo: ServedGemini, prompt: str) -> str:
    return text_of(await stream(demo, prompt, DOCUMENT, model=MODEL))


def user(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def calls(parts: list[types.Part]) -> list[types.FunctionCall]:
    return [part.function_call for part in parts if part.function_call]


def visible(parts: list[types.Part]) -> str:
    return "".join(part.text or "" for part in parts if not part.thought)


def result(parts: list[types.Part], response: dict[str, Any]) -> types.Content:
    responses = [
        types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response=response)) for call in calls(parts)
    ]
    return types.Content(role="user", parts=responses)


async def test_a_document_is_ordered_written_changed_and_told(demo: ServedGemini) -> None:
    question = user("Please write a report about solar energy.")
    first = await chat(demo, question)
    [create] = calls(first)
    assert create.args == {
        "operation": "create",
        "title": "Solar energy",
        "instruction": "Please write a report about solar energy.",
    }
    history = [question, types.Content(role="model", parts=first), result(first, {"output": DOCUMENT_OUTPUT})]
    reply = await chat(demo, *history)
    assert "It is ready to read" in visible(reply)
    history += [types.Content(role="model", parts=reply), user("Make it shorter")]
    second = await chat(demo, *history)
    [update] = calls(second)
    assert update.args == {"operation": "update", "artifact_id": "7f0c", "instruction": "Make it shorter"}
    history += [types.Content(role="model", parts=second), result(second, {**DOCUMENT_OUTPUT, "operation": "update", "version": 2})]
    assert "I changed **Solar energy** (version 2)" in visible(await chat(demo, *history))


async def test_a_failed_tool_is_told_plainly(demo: ServedGemini) -> None:
    question = user("Write a letter about rent")
    first = await chat(demo, question)
    reply = await chat(demo, question, types.Content(role="model", parts=first), result(first, {"error": "There is no room."}))
    assert "That did not work: There is no room." in visible(reply)


@pytest.mark.parametrize("request_text", ["a report", "an essay", "a letter", "a plan", "a guide", "an article"])
async def test_a_new_document_has_a_title_sections_and_some_hundred_words(demo: ServedGemini, request_text: str) -> None:
    instruction = f"Write {request_text} about remote work in small teams."
    text = await document(demo, DOCUMENT_CREATE_TEMPLATE.format(title="Remote work", instruction=instruction))
    assert text.startswith("# Remote work\n")
    assert text.count("\n## ") >= 5
    assert 250 <= len(text.split()) <= 650
    assert "remote work in small teams" in text


async def changed(demo: ServedGemini, content: str, instruction: str) -> str:
    return await document(demo, DOCUMENT_UPDATE_TEMPLATE.format(title="Rain", current_content=content, instruction=instruction))


async def test_a_document_is_changed_as_a_script_can(demo: ServedGemini) -> None:
    content = await document(demo, DOCUMENT_CREATE_TEMPLATE.format(title="Rain", instruction="Write an essay about rain."))
    headings = [line for line in content.splitlines() if line.startswith("#")]
    shorter = await changed(demo, content, "Make it shorter")
    assert [line for line in shorter.splitlines() if line.startswith("#")] == headings
    assert 0.3 < len(shorter) / len(content) < 0.75
    longer = await changed(demo, content, "Make it longer")
    assert longer.startswith(content.rstrip())
    assert longer.count("\n## ") == content.count("\n## ") + 1
    assert "\n## Umbrellas\n" in await changed(demo, content, "Add a section about umbrellas.")
    assert (await changed(demo, content, 'Change the title to "Wet"')).startswith("# Wet\n")
    assert "snow" in await changed(demo, content, 'Replace "rain" with "snow"')
    assert "cannot translate" in await changed(demo, content, "Translate it into French")
    assert "**Requested change:** More jokes" in await changed(demo, content, "More jokes")


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("User: Please write a report about solar energy in Spain for my school", "Report about solar energy in Spain"),
        ("user: Hello!\n\nassistant: Hello.", "A first friendly chat"),
        ("User: /error busy", "Talking about error busy"),
        ("How do I bake bread?", "How do I bake bread"),
    ],
)
async def test_a_title_comes_from_the_first_message(demo: ServedGemini, message: str, title: str) -> None:
    config = types.GenerateContentConfig(system_instruction=TITLE_SYSTEM_PROMPT, max_output_tokens=64)
    assert text_of(await stream(demo, TITLE_TEMPLATE.format(conversation=message), config, model=MODEL)) == title


@pytest.mark.parametrize(
    ("message", "sample"),
    [
        ("Hello", "I'm Parley's **demo provider**"),
        ("Show me a table", "| Month |"),
        ("Show me some code", "```python"),
        ("Show me some maths", "$$"),
        ("Show me Markdown", "# Markdown in Parley"),
        ("Draw me a picture", "this picture is made of numbers in a script"),
        ("How is the weather?", "`Search the web for solar energy`"),
        ("/error", "| `/error busy` |"),
        ("What is the meaning of life?", "> What is the meaning of life?"),
    ],
)
async def test_a_message_gets_the_sample_that_fits(demo: ServedGemini, message: str, sample: str) -> None:
    parts = await chat(demo, user(message))
    assert sample in visible(parts)
    assert not calls(parts)


async def test_a_long_answer_has_about_1500_tokens(demo: ServedGemini) -> None:
    chunks = await stream(demo, "Give me a long answer", CHAT, model=MODEL)
    usage = chunks[-1].usage_metadata
    assert usage is not None
    assert 1300 <= (usage.candidates_token_count or 0) <= 2500


async def test_thoughts_come_first_when_thinking_is_on(demo: ServedGemini) -> None:
    thoughts = [bool(part.thought) for part in await chat(demo, user("What is rain?"))]
    assert thoughts[0]
    assert thoughts == sorted(thoughts, reverse=True)


@pytest.mark.parametrize(
    ("message", "code"), [("/error busy", 429), ("/error unavailable", 503), ("/error key", 400), ("/error midway", 503)]
)
async def test_an_error_can_be_asked_for(demo: ServedGemini, message: str, code: int) -> None:
    with pytest.raises(errors.APIError) as raised:
        await chat(demo, user(message))
    assert raised.value.code == code


async def test_the_same_request_gets_the_same_words(demo: ServedGemini) -> None:
    assert visible(await chat(demo, user("What is rain?"))) == visible(await chat(demo, user("What is rain?")))


def test_the_pace_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(application)
    monkeypatch.setenv("DEMO_PACE", "2")
    assert demo_pace() == 2
    monkeypatch.setenv("DEMO_PACE", "fast")
    with pytest.raises(ValueError, match="DEMO_PACE"):
        demo_pace()
