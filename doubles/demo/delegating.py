"""The scene in which the chat agent lets the provider tools agent find something out, and tells what came back (SPEC 4.2)."""

from __future__ import annotations

from typing import Any

from doubles.demo.conversation import ConversationState, Event
from doubles.demo.provider_scenes import asks_for_provider_tool
from doubles.script import Call, Item, Text

AGENT = "provider_tools_agent"


def delegation_scene(conversation: ConversationState) -> list[Item] | None:
    """None when the chat agent has no such agent, or the user asked for nothing of the kind."""
    if AGENT not in conversation.tools or not asks_for_provider_tool(conversation.text):
        return None
    if not conversation.since:
        return [Text("I'll let another agent find that out."), Call(AGENT, {"task": conversation.text})]
    told = [event for event in conversation.results if event.tool == AGENT]
    return [Text(_summary(told[-1]))] if told else None


def _summary(event: Event) -> str:
    result: dict[str, Any] = event.value if isinstance(event.value, dict) else {}
    if "result" not in result:
        return f"The agent could not find it out. {result.get('error', '')}".strip()
    number = len(result.get("sources", ()))
    rests = f" and named {number} {'source' if number == 1 else 'sources'}" if number else ""
    return f"The agent answered{rests}. Open its card above to see each of its steps. I am the **demo provider**: a real model would now answer from what it found."
