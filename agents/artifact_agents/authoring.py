"""Getting one whole text out of a model: ask, check, and give it back with what is wrong at most so many times (SPEC 4.6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.artifact_agents.fences import only_fence, without_fence
from agents.artifact_agents.journal import BufferedJournal
from agents.artifact_agents.problems import Problem
from agents.engine.agent import AgentSpec
from agents.engine.budget import RunBudget
from agents.engine.errors import RunError, ToolFailed
from agents.engine.loop import run_agent
from agents.engine.messages import FinishReason
from agents.engine.ports import LanguageModel
from artifacts.kinds import TEXT, ArtifactKind

EMPTY_ANSWER = "The agent answered without any text, so that nothing was written."
UNFINISHED_TEXTS = {
    FinishReason.LENGTH: "The text reached the model's maximum length before its end.",
    FinishReason.CONTENT_FILTER: "The provider's safety filter ended the text before its end.",
}


@dataclass(frozen=True, slots=True)
class AuthoringPrompt:
    """What is asked of the agent."""

    agent: AgentSpec
    prompt: str


@dataclass(frozen=True, slots=True)
class TextCheck:
    """`repair`: the attempt that makes good a text with this problem; so often at most: `max_repairs`."""

    check: Callable[[str], Problem | None]
    repair: Callable[[str, Problem], AuthoringPrompt]
    max_repairs: int


@dataclass(frozen=True, slots=True)
class AuthoredText:
    """A whole text. `problem`: what is still wrong with it."""

    content: str
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class AuthoringContext:
    """What an agent works with: a model, a place for its text and the run's budget."""

    model: LanguageModel
    journal: BufferedJournal
    budget: RunBudget


class TextAuthor:
    """One piece of work. `partial_text`: what there is of it, also when it failed or was stopped."""

    def __init__(self, desk: AuthoringContext, kind: ArtifactKind | None, checking: TextCheck | None = None) -> None:
        """`kind`: of what is written, whose fence may be around it; None: words."""
        self._desk, self._kind, self._checking = desk, kind, checking
        self._newest: AuthoredText | None = None

    @property
    def partial_text(self) -> str:
        return self._text_without_fence() if self._newest is None else self._newest.content

    async def write(self, first: AuthoringPrompt) -> AuthoredText:
        """Raises the model's RunError, and ToolFailed for a text without an end or with nothing in it."""
        whole = self._newest = await self._attempt(first)
        for _ in range(self._checking.max_repairs if self._checking else 0):
            if whole.problem is None or (repaired := await self._repair(whole.content, whole.problem)) is None:
                break
            whole = self._newest = repaired
        return whole

    async def _repair(self, content: str, problem: Problem) -> AuthoredText | None:
        """None when the model gives no text: the broken one is better than none."""
        assert self._checking is not None
        try:
            return await self._attempt(self._checking.repair(content, problem))
        except (RunError, ToolFailed):
            return None

    async def _attempt(self, attempt: AuthoringPrompt) -> AuthoredText:
        desk = self._desk
        desk.journal.start_prompt(attempt.prompt)
        outcome = await run_agent(attempt.agent, model=desk.model, tools=(), journal=desk.journal, budget=desk.budget)
        if outcome.finish_reason in UNFINISHED_TEXTS:
            raise ToolFailed(UNFINISHED_TEXTS[outcome.finish_reason])
        content = self._text_without_fence()
        if not content.strip():
            raise ToolFailed(EMPTY_ANSWER)
        return AuthoredText(content, self._checking.check(content) if self._checking else None)

    def _text_without_fence(self) -> str:
        text = self._desk.journal.text
        if self._kind is None:
            return text
        whole = without_fence(text, self._kind.fence_languages)
        return whole if self._kind is TEXT else only_fence(whole, self._kind.fence_languages)
