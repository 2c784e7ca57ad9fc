"""What the model says in a browser test: the product's Gemini double, with one queue for each kind of request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from doubles.demo import DemoScript
from doubles.script import Answer, Call, Item, ReceivedRequest, Text
from tests.support.agents.gemini import ServedGemini

DOCUMENT_TOOL = "document_agent"


def is_chat(request: ReceivedRequest) -> bool:
    return DOCUMENT_TOOL in request.tool_names


def is_title(request: ReceivedRequest) -> bool:
    return "<conversation>" in request.user_text


def is_suggestions(request: ReceivedRequest) -> bool:
    return request.user_text.startswith("<exchange>")


def is_document(request: ReceivedRequest) -> bool:
    return not is_chat(request) and not is_title(request) and not is_suggestions(request)


def title_of(question: str) -> str:
    """The title of a conversation that begins with this question."""
    return f"Title of: {question.rstrip('.?')}"


def _beside_the_chat(request: ReceivedRequest) -> Answer | None:
    if is_suggestions(request):
        return Answer((Text("[]"),))
    question = re.search(r"User: (.+)", request.user_text)
    return Answer((Text(title_of(question[1])),)) if is_title(request) and question else None


class ScriptedProvider:
    """Answers are used once, in the order of their queueing.

    Titles are asked for late, even after a test, and always answered; there are no suggestions but those of `answer_suggestions`.
    """

    def __init__(self, double: ServedGemini) -> None:
        self._double = double
        double.reset()
        double.respond(_beside_the_chat)

    def use_demo_script(self) -> None:
        """All that nothing is queued for is answered as the demo provider does, but without its pauses."""
        self.answer_by(DemoScript(pace=0))

    def answer_by(self, responder: Callable[[ReceivedRequest], Answer | None]) -> None:
        """Let a function answer all that nothing is queued for, except titles."""
        self._double.respond(lambda request: _beside_the_chat(request) or responder(request))

    def answer_chat(self, *items: Item) -> None:
        """The chat agent's next answer."""
        self._double.answer(*items, when=is_chat)

    def answer_document(self, *items: Item) -> None:
        """The document agent's next answer."""
        self._double.answer(*items, when=is_document)

    def answer_suggestions(self, *texts: str) -> None:
        """What the user may ask after the next answer."""
        self._double.answer(Text(json.dumps(texts)), when=is_suggestions)

    def calls_document_agent(self, **arguments: str) -> None:
        self.answer_chat(Call(DOCUMENT_TOOL, arguments))

    def creates_document(self, title: str, *items: Item, then: str = "It is written.") -> None:
        """The next turn: one document of these items, and a closing sentence in the chat."""
        self.calls_document_agent(operation="create", title=title, instruction=f"Write about {title}.")
        self.answer_document(*items)
        self.answer_chat(Text(then))

    def updates_document(self, artifact_id: str, *items: Item, then: str = "It is changed.") -> None:
        self.calls_document_agent(operation="update", artifact_id=artifact_id, instruction="Change it.")
        self.answer_document(*items)
        self.answer_chat(Text(then))

    @property
    def chat_requests(self) -> list[ReceivedRequest]:
        return [request for request in self._double.requests if is_chat(request)]

    @property
    def document_requests(self) -> list[ReceivedRequest]:
        return [request for request in self._double.requests if is_document(request)]

    def release_gates(self) -> None:
        """Release every gate, so that no answer of a failed test waits in the product."""
        for gate in self._double.gates.values():
            gate.release()
