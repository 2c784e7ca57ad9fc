"""The demo's chat agent: its answers, its calls of other agents, and the errors that it plays."""

from __future__ import annotations

import re
from typing import Any

from doubles.demo import samples
from doubles.demo.admin_tools import github_scene, named_tool_scene
from doubles.demo.artifact_calls import artifact_call, artifact_summary
from doubles.demo.conversation import ConversationState, Event, refusal_text
from doubles.demo.interjections import interjection_lead, slow_story
from doubles.demo.own_tools import own_tool_scene, page_scene
from doubles.demo.provider_scenes import delegation_scene, drawing_scene, provider_scene
from doubles.demo.titles import headline, without_lead
from doubles.demo.tool_scenes import MESSAGE, loop_scene, question_scene, steps_scene, through_message_tool, work_scene
from doubles.script import Fault, Finish, Item, ReceivedRequest, Text, Thought

_STORY = re.compile(r"\b(?:story|slow answer)\b", re.IGNORECASE)
_SAMPLES = (
    (r"\b(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you)\b.{0,20}$", samples.GREETING),
    (r"\bwhat (?:else )?can (?:you do|I (?:try|do|ask))\b|^help\b", samples.WHAT_TO_TRY),
    (r"\b(?:approv\w+|permission|before each call)\b", samples.APPROVAL),
    (r"\b(?:search|web|internet|news|browse|weather)\b", samples.SEARCHING),
    (r"\b(?:image|picture)\b", samples.PICTURES),
    (r"\btables?\b", samples.TABLE),
    (r"\b(?:code|python|javascript|function|program)\b", samples.CODE),
    (r"\b(?:maths?|formulas?|equations?|latex)\b", samples.MATHS),
    (r"\bmarkdown\b", samples.MARKDOWN),
    (r"\b(?:long|detailed)\b", samples.LONG),
)
_FAULTS: dict[str, tuple[Item, ...]] = {
    "busy": (Fault.status(429, retry_after_s=2),),
    "unavailable": (Fault.status(503),),
    "key": (Fault.status(400, reason="API_KEY_INVALID"),),
    "blocked": (Fault.blocked("SAFETY"),),
    "cut": (Text("This answer stops in the middle, as it does when the connection to a provider"), Fault.cut()),
    "midway": (Text("This answer begins well, and then the provider reports"), Fault.mid_stream_error(503)),
    "malformed": (Finish("MALFORMED_FUNCTION_CALL", "Malformed function call: document_agent(operation=", bare=True),),
    "empty": (Finish("STOP", bare=True),),
}


def chat_items(request: ReceivedRequest) -> list[Item]:
    """Return the reply to the latest event of the conversation: a tool result, a reminder or the user's message."""
    conversation = ConversationState.of(request)
    items = named_tool_scene(conversation)
    if items is None:
        items = drawing_scene(conversation, request)
    if items is None:
        items = delegation_scene(conversation)
    if items is None:
        items = own_tool_scene(conversation, request)
    if items is None:
        items = page_scene(conversation, request)
    if items is None:
        items = github_scene(conversation)
    if items is None:
        items = provider_scene(conversation, request)
    return through_message_tool(_scene(conversation) if items is None else items, conversation)


def _scene(conversation: ConversationState) -> list[Item]:
    for scene in (_error_scene, loop_scene, work_scene, steps_scene, question_scene):
        if (items := scene(conversation)) is not None:
            return items
    if conversation.results:
        return [Text(" ".join(_summary(result) for result in conversation.results))]
    if conversation.since:  # a reminder after an answer
        return [Text(conversation.model_text_since or samples.REMINDER)]
    return [_thought(conversation.text), *_reply(conversation)]


def _error_scene(conversation: ConversationState) -> list[Item] | None:
    if not conversation.text.startswith("/error"):
        return None
    if conversation.reminders:
        return [Text("My tool call could not be read. The reminder above told me so; now I answer in plain words.")]
    return list(_FAULTS.get(conversation.text.removeprefix("/error").strip().lower(), (Text(samples.ERRORS),)))


def _reply(conversation: ConversationState) -> list[Item]:
    beginning = interjection_lead(conversation)
    start = [Text(beginning)] if beginning else []
    if order := artifact_call(conversation):
        return [*start, *order]
    if _STORY.search(conversation.text):
        return [*start, *slow_story()]
    for pattern, sample in _SAMPLES:
        if re.search(pattern, conversation.text, re.IGNORECASE):
            return [*start, Text(sample)]
    return [*start, Text(samples.INTERJECTION if beginning else samples.general(conversation.text))]


def _thought(text: str) -> Thought:
    subject = headline(without_lead(text))[:80] or "the message"
    return Thought(
        f"**Reading the request**\n\nThe user writes about: {subject}. I check whether this asks for a document, for a change to one, or for"
        " an answer in the chat.\n\n**Choosing the form**\n\nI am the demo provider, so I pick the scripted answer that fits best and say"
        " what it is.\n\n"
    )


def _summary(event: Event) -> str:
    """Return one or two sentences about a finished tool call."""
    result: dict[str, Any] = event.value if isinstance(event.value, dict) else {}
    if refusal := refusal_text(result):
        return refusal
    if event.tool == MESSAGE and "error" not in result:
        return "That is all I wanted to say."
    if (summary := artifact_summary(event)) is not None:
        return summary
    if "id" not in result:
        return f"That did not work: {result.get('error') or 'the tool gave no result'} You can try again or put it another way."
    return "It is ready to read and to edit. Ask me to make it shorter, or to add a section."
