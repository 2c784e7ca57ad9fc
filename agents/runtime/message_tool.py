"""The `message` tool: how an agent that ends with a tool speaks to the user (SPEC 3.4, docs/protocol.md).

It sends results, questions and progress.
"""

from __future__ import annotations

from typing import Any, Final

from agents.engine.ports import ReplayRule, ToolContext, ToolOutcome, ToolTraits
from agents.errors import ToolFailed
from agents.messages import AssistantText, Entry, NextStep, ToolCall, ToolDefinition, WorkflowStep

NAME: Final = "message"
DESCRIPTION = (
    "Says something to the user; text outside of this tool does not count as an answer. result: the whole answer, which ends your work. "
    "question: what only the user knows; you go on with the reply. progress: one short sentence about what you are doing."
)
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "enum": ["result", "question", "progress"]},
        "text": {"type": "string", "description": "Markdown, as the user will read it."},
    },
    "required": ["type", "text"],
}
NEXT_STEPS = {"result": NextStep.FINISH, "question": NextStep.WAIT_FOR_REPLY, "progress": NextStep.GO_ON}


def visible_text(entry: Entry) -> str:
    """Return what the user reads of an entry as the assistant's words; else an empty string.

    That is text, or a result or question of the `message` tool.
    """
    match entry:
        case AssistantText(text=text):
            return text
        case ToolCall(name="message", arguments={"type": "result" | "question", "text": str(text)}):
            return text
        case _:
            return ""


class MessageTool:
    """Implements `Tool`. Clients find the text in the call itself; progress also becomes a visible entry."""

    definition = ToolDefinition(NAME, DESCRIPTION, SCHEMA)
    traits = ToolTraits(repeatable=True, compact_template="{type}: {text}", replay=ReplayRule.RUNS)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        kind, text = arguments["type"], arguments["text"].strip()
        if not text:
            raise ToolFailed("The text is empty.")
        entries = (WorkflowStep(text, "done"),) if kind == "progress" else ()
        return ToolOutcome("The user sees it.", entries=entries, next_step=NEXT_STEPS[kind])
