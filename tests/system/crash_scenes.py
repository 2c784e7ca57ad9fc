"""What is asked in a crash trial, what the model answers and what must be stored in the end."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from doubles.script import Answer, Call, Item, Pacing, ReceivedRequest, Text, Thought
from tests.system.crash.tools import LOOK_UP, PAY, SEND
from tests.system.request_predicates import create_document, is_document

DOCUMENT = "document"
MAX_STEPS = 5  # of the seeded chat agent
PACE = Pacing(tokens_per_s=2000)  # a text takes about as long as two flushes of the event log
_TOPIC = re.compile(r"scene-\w+")


def words(topic: str, count: int = 12) -> str:
    """A text in which a missing or doubled piece shows."""
    return " ".join(f"{topic}:{number}" for number in range(count))


@dataclass(frozen=True, slots=True)
class Scene:
    """A question whose answer takes these steps: the tools that each step calls at once; the last step's text follows them."""

    topic: str
    steps: tuple[tuple[str, ...], ...]

    @classmethod
    def by(cls, rng: random.Random, topic: str) -> Scene:
        count = rng.choice((0, 1, 1, 2, 2, 3, MAX_STEPS))
        steps = [[rng.choice((SEND, LOOK_UP)) for _ in range(rng.randint(1, 3))] for _ in range(count)]
        for tool in (DOCUMENT, PAY):
            if steps and rng.random() < 0.3:
                step = rng.choice(steps)
                step[rng.randrange(len(step))] = tool
        return cls(topic, tuple(map(tuple, steps)))

    @property
    def question(self) -> str:
        return f"About {self.topic}"

    def preface(self, step: int) -> str:
        """The text before a step's calls; steps count from 1."""
        return f"{self.topic} needs step {step}. "

    def label(self, step: int, number: int) -> str:
        """What one call is about, unlike all others."""
        tool = self.steps[step - 1][number]
        return self.topic.title() if tool == DOCUMENT else f"{self.topic}/{step}/{number}"

    def expected_lines(self) -> list[tuple[int, str, str]]:
        """(step, kind, text or label) of each entry of an answer that nothing interrupts."""
        lines = [entry for step in range(1, len(self.steps) + 1) for entry in self._step_lines(step)]
        return [*lines, (MAX_STEPS, "notice", "step_limit")] if self.has_no_answer else [*lines, *self.answer(len(self.steps) + 1)]

    def answer(self, step: int) -> list[tuple[int, str, str]]:
        return [(step, "reasoning", "Hm."), (step, "assistant_text", words(self.topic))]

    @property
    def has_no_answer(self) -> bool:
        """Its calls use up all steps."""
        return len(self.steps) >= MAX_STEPS

    def _step_lines(self, step: int) -> Iterator[tuple[int, str, str]]:
        labels = [self.label(step, number) for number in range(len(self.steps[step - 1]))]
        yield step, "reasoning", "Hm."
        yield step, "assistant_text", self.preface(step)
        for label in labels:
            yield step, "tool_call", label
        tools = dict(zip(labels, self.steps[step - 1], strict=True))
        for label in (label for label in labels if tools[label] != PAY):
            yield step, "tool_result", label
            if tools[label] == DOCUMENT:
                yield step, "artifact_reference", label
        for kind in ("approval_request", "approval_response", "tool_result"):
            yield from ((step, kind, label) for label in labels if tools[label] == PAY)


class SceneModel:
    """Plays the scenes' answers: the same to the same request, however often it is asked."""

    def __init__(self) -> None:
        self._scenes: dict[str, Scene] = {}

    def add(self, scene: Scene) -> None:
        self._scenes[scene.topic] = scene

    def respond(self, request: ReceivedRequest) -> Answer | None:
        topic = _TOPIC.search(request.user_text)
        scene = self._scenes.get(topic[0]) if topic else None
        return Answer(tuple(_items(scene, request)), PACE) if scene else None


def _items(scene: Scene, request: ReceivedRequest) -> Iterator[Item]:
    if is_document(request):
        yield Text(words(scene.topic))
        return
    step = 1 + sum(any("functionCall" in part for part in content["parts"]) for content in request.body["contents"])
    yield Thought("Hm.")
    if step > len(scene.steps):
        yield Text(words(scene.topic))
        return
    yield Text(scene.preface(step))
    for number, tool in enumerate(scene.steps[step - 1]):
        yield create_document(scene.topic) if tool == DOCUMENT else Call(tool, {"what": scene.label(step, number)})
