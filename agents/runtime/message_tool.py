"""How an agent that ends with a tool speaks to the user: results, questions and news of its work (SPEC 3.4, docs/protocol.md)."""

from __future__ import annotations

from typing import Any, Final

from agents.engine.errors import ToolFailed
from agents.engine.messages import AssistantText, Entry, NextStep, ToolCall, ToolDefinition, WorkflowStep
from agents.engine.ports import ToolContext, ToolOutcome, ToolTraits

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
    """What the user reads of an entry as the assistant's words: text, or a result or question of the `message` tool; else empty."""
    match entry:
        case AssistantText(text=text):
            return text
        case ToolCall(name="message", arguments={"type": "result" | "question", "text": str(text)}):
            return text
        case _:
            return ""


class MessageTool:
    """Implements `Tool`. The text is in the call itself, where clients find it; progress becomes a visible entry."""

    definition = ToolDefinition(NAME, DESCRIPTION, SCHEMA)
    traits = ToolTraits(repeatable=True, compact_template="{type}: {text}")

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        kind, text = arguments["type"], arguments["text"].strip()
        if not text:
            raise ToolFailed("The text is empty.")
        entries = (WorkflowStep(text, "done"),) if kind == "progress" else ()
        return ToolOutcome("The user sees it.", entries=entries, next_step=NEXT_STEPS[kind])
