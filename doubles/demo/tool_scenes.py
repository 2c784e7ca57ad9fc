"""Scenes with the tool `message` (SPEC 3.4): asking, reporting progress, and answering with it where the agent must.

Also the scenes in which the demo keeps calling a tool: a loop, and a task with more steps than a run allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from doubles.demo.artifact_calls import DOCUMENT_AGENT, MERMAID_AGENT
from doubles.demo.conversation import ConversationState, Event
from doubles.script import Call, Fault, Item, Text

MESSAGE = "message"
QUESTION = "Which colour do you like?"

_ASK = re.compile(r"\bask me (?:something|anything|a question)\b", re.IGNORECASE)
_MUST_ANSWER_WITH_IT = re.compile(rf"`{MESSAGE}`[^.]{{0,80}}\bresult\b", re.IGNORECASE)
STEPS = 12
EQUAL_CALLS = 3  # per step, so that loop detection triggers before the step limit
_LOOP = re.compile(r"\bin a loop\b|\bloop detection\b|\bstuck\b", re.IGNORECASE)
_MANY_STEPS = re.compile(r"\bmany steps\b|\bstep limit\b", re.IGNORECASE)
_CONTINUE = re.compile(r"^\W*(?:please )?(?:continue|go on)\b", re.IGNORECASE)
_STEP = re.compile(rf"\bStep (\d+) of {STEPS}\b")
_MISSING_ID = "00000000-0000-0000-0000-000000000000"
_NO_TOOL = "This scene of the demo provider needs an agent with a tool: `message` or `document_agent`."
_STUCK = "I am the demo provider and play an agent that is stuck: I repeat the same call until Parley stops me.\n\n"
_BEGIN = f"I am the demo provider and play a task of {STEPS} steps, one call in each. When the step limit comes, press **Continue**.\n\n"
_ON = "On with the task.\n\n"
_WORK = (
    Call("provider_tools_agent", {"task": "Search the web: is green tea really brewed cooler than black tea?"}),
    Call(
        DOCUMENT_AGENT,
        {"operation": "create", "title": "Green tea in Europe", "instruction": "A one-page market brief about green tea in Europe."},
    ),
    Call(MERMAID_AGENT, {"operation": "create", "title": "How to brew it", "instruction": "Draw a flowchart of how to brew green tea."}),
)
_WORK_BEGINS = "I look up how green tea is brewed, write a brief about its market, and draw how to make a cup.\n\n"
_WORK_DONE = (
    "All three are done: the search says **70 to 80 °C** for most green teas, the brief recommends to start in **France and Poland**, and the "
    "diagram shows the way to a good cup. Open either of them above."
)
_DONE = f"All {STEPS} steps are done. They did nothing: the demo provider only shows how an agent works in steps."


def question_scene(conversation: ConversationState) -> list[Item] | None:
    """Ask a question when the user wants one, and answer the reply; else None."""
    if conversation.last_call_arguments.get("text") == QUESTION and not conversation.since:
        return [
            Text(
                f"You like **{conversation.text.strip(' .!')}**. The demo provider will remember that for the rest of this conversation, and no longer."
            )
        ]
    if not _ASK.search(conversation.text) or conversation.since:
        return None
    if MESSAGE in conversation.tools:
        return [Call(MESSAGE, {"type": "question", "text": QUESTION})]
    return [Text(f"{QUESTION} (This agent has no tool `message`, so the demo provider asks in its answer.)")]


def through_message_tool(items: list[Item], conversation: ConversationState) -> list[Item]:
    """Return a final answer as a call of `message` where that is required; other items unchanged."""
    if (
        not _must_use_message_tool(conversation)
        or not any(isinstance(item, Text) for item in items)
        or any(isinstance(item, Call | Fault) for item in items)
    ):
        return items
    text = "".join(item.text for item in items if type(item) is Text)
    others = [item for item in items if type(item) is not Text]
    return [*others, Call(MESSAGE, {"type": "result", "text": text})]


def _must_use_message_tool(conversation: ConversationState) -> bool:
    instructions: Sequence[str] = [conversation.system_text, *conversation.reminders]
    return MESSAGE in conversation.tools and (conversation.must_call or any(_MUST_ANSWER_WITH_IT.search(text) for text in instructions))


def loop_scene(conversation: ConversationState) -> list[Item] | None:
    """Repeat the same call; None when the user did not ask for a loop."""
    if not _LOOP.search(conversation.text):
        return None
    if (call := _harmless_call(conversation, "Once more")) is None:
        return [Text(_NO_TOOL)]
    return [*([] if conversation.since else [Text(_STUCK)]), *[call] * EQUAL_CALLS]


def work_scene(conversation: ConversationState) -> list[Item] | None:
    """Return the next step of a task that three agents do; None when the user asked for no such task, or one of the agents is missing."""
    if not re.search(r"\bmany steps\b", conversation.text, re.IGNORECASE) or not {call.name for call in _WORK} <= set(conversation.tools):
        return None
    done = sum(event.kind == "call" for event in conversation.since)
    beginning = [] if done else [Text(_WORK_BEGINS)]
    return [*beginning, _WORK[done]] if done < len(_WORK) else [Text(_WORK_DONE)]


def steps_scene(conversation: ConversationState) -> list[Item] | None:
    """Return the next step of the task, also after "continue"; None when the user asked for no such task."""
    begins = bool(_MANY_STEPS.search(conversation.text))
    done = 0 if begins else _steps_done(conversation.before)
    if not begins and not (done and _CONTINUE.search(conversation.text)):
        return None
    number = max(done, _steps_done(conversation.since)) + 1
    if number > STEPS:
        return [Text(_DONE)]
    if (call := _harmless_call(conversation, f"Step {number} of {STEPS}")) is None:
        return [Text(_NO_TOOL)]
    beginning = [] if conversation.since else [Text(_BEGIN if begins else _ON)]
    return [*beginning, call]


def _steps_done(events: Iterable[Event]) -> int:
    calls = [str(event.value.get("args")) for event in events if event.kind == "call"]
    return max((int(match[1]) for call in calls if (match := _STEP.search(call))), default=0)


def _harmless_call(conversation: ConversationState, text: str) -> Call | None:
    """Return a call without effect: a progress message, or a change to a document that does not exist."""
    if MESSAGE in conversation.tools:
        return Call(MESSAGE, {"type": "progress", "text": text})
    if DOCUMENT_AGENT in conversation.tools:
        return Call(DOCUMENT_AGENT, {"operation": "update", "artifact_id": _MISSING_ID, "instruction": text})
    return None
