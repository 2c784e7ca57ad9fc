"""Answers that a model wrapped in a code fence, although it was asked for the bare text.

Getting one whole text out of a model: ask, check, and give it back with what is wrong at most so many times (SPEC 4.6).

Work that makes no artifact: its text is the tool's result, which the chat agent shows (SPEC 4.5, 4.6).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from agents.artifact_agents.journal import BufferedJournal
from agents.artifact_agents.problems import Problem
from agents.engine.agent import AgentSpec, RunBudget
from agents.engine.errors import RunError, ToolFailed
from agents.engine.history import FALLBACK, last_fallback_notice
from agents.engine.loop import run_agent
from agents.engine.messages import FinishReason, Notice
from agents.engine.ports import LanguageModel, ToolContext, ToolOutcome
from artifacts.kinds import TEXT, ArtifactKind

_FENCED = re.compile(r"\A\s*(?P<fence>`{3,}|~{3,})(?P<language>[^\n`]*)\n(?P<body>.*\n)?(?P=fence)\s*\Z", re.DOTALL)
_INNER = re.compile(r"^(?P<fence>`{3,}|~{3,})(?P<language>[^\n`]+)\n(?P<body>.*?\n)(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE)


def without_fence(text: str, languages: Collection[str]) -> str:
    """Return the body when one code fence of those languages wraps the whole text, else the text unchanged."""
    match = _FENCED.match(text)
    if match is None or match["language"].strip().lower() not in languages:
        return text
    body = match["body"] or ""
    return body if _fences_are_paired(body, match["fence"]) else text


def only_fence(text: str, languages: Collection[str]) -> str:
    """Return the body of the one fence of those languages that stands among other words, else the text unchanged."""
    found = [match for match in _INNER.finditer(text) if match["language"].strip().lower() in languages]
    return found[0]["body"] if len(found) == 1 else text


def _fences_are_paired(body: str, fence: str) -> bool:
    """False when the fence that wraps was closed inside `body`: then it never wrapped the whole text."""
    inside = False
    for info in re.findall(rf"^{fence}[`~]*([^\n]*)$", body, re.MULTILINE):
        if not inside or not info.strip():  # a closing fence has no info string
            inside = not inside
    return not inside


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


async def write_inline(
    operation: str,
    first: AuthoringPrompt,
    model: LanguageModel,
    context: ToolContext,
    *,
    kind: ArtifactKind | None,
    checking: TextCheck | None = None,
) -> ToolOutcome:
    """`kind`: of what is written; None: words. Raises ToolFailed for a text without an end."""
    journal = BufferedJournal(context.journal)
    try:
        authored = await TextAuthor(AuthoringContext(model, journal, context.budget), kind, checking).write(first)
    except RunError as error:
        return ToolOutcome(str(error), is_error=True)
    problem = authored.problem.as_metadata() if authored.problem else {}
    fallback_text = last_fallback_notice(journal.entries)
    notices = (Notice(FALLBACK, fallback_text),) if fallback_text and fallback_text != last_fallback_notice(context.journal.entries) else ()
    return ToolOutcome({"operation": operation, "text": authored.content, **problem}, entries=notices)
