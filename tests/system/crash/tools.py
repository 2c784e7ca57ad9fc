"""A model and tools of the crash trials: in all the process may die, and the effect of one tool shows when it happens twice."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from agents.engine.ports import LanguageModel, Tool, ToolContext, ToolOutcome, ToolTraits
from agents.messages import ModelEvent, ModelRequest, ModelResponse, ToolDefinition
from tests.system.crash.points import Point, Trigger

SEND, PAY, LOOK_UP = "send_letter", "pay_bill", "look_up"
SEND_RESULT = "sent"
_SCHEMA = {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]}


def look_up_result(what: str) -> str:
    return f"found {what}"


class LetterTool:
    """Each run adds a line "<call id> <what>" to a file that outlives the process; it must not be run again.

    `asks`: the user is asked before each run.
    """

    def __init__(self, name: str, letters: Path, *, asks: bool) -> None:
        self.definition = ToolDefinition(name, "Send a letter.", _SCHEMA)
        self.traits = ToolTraits(repeatable=False, confirm=asks)
        self._letters = letters

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        file = os.open(self._letters, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{context.call_id} {arguments['what']}\n".encode())
        os.close(file)
        return ToolOutcome(SEND_RESULT)


class LookUpTool:
    """It may run as often as it likes."""

    definition = ToolDefinition(LOOK_UP, "Look something up.", _SCHEMA)
    traits = ToolTraits(repeatable=True)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return ToolOutcome(look_up_result(arguments["what"]))


class CrashingModel:
    """A model in whose streams the process may die."""

    def __init__(self, model: LanguageModel, trigger: Trigger) -> None:
        self._model, self._trigger = model, trigger

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                yield event
                if not isinstance(event, ModelResponse):
                    await self._trigger.reach(Point.MID_STREAM)


class CrashingTool:
    """A tool in whose runs the process may die."""

    def __init__(self, tool: Tool, trigger: Trigger) -> None:
        self._tool, self._trigger = tool, trigger

    @property
    def definition(self) -> ToolDefinition:
        return self._tool.definition

    @property
    def traits(self) -> ToolTraits:
        return self._tool.traits

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        await self._trigger.reach(Point.IN_TOOL)
        outcome = await self._tool.run(arguments, context)
        await self._trigger.reach(Point.EFFECT_DONE)
        return outcome


def tools_of_trials(letters: Path) -> tuple[Tool, ...]:
    return LetterTool(SEND, letters, asks=False), LetterTool(PAY, letters, asks=True), LookUpTool()


def letters_sent(letters: Path) -> list[tuple[str, str]]:
    """(call id, what) of each letter, in the order of their sending."""
    if not letters.exists():
        return []
    return [(line.split()[0], line.split()[1]) for line in letters.read_text().splitlines()]
