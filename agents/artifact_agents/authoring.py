"""Gets one complete text out of a model: prompts it, checks the text and has it repaired (SPEC 4.6).

Models often wrap their answer in a code fence although they were asked for the bare text; the fence is removed.
`write_inline` is for work that creates no artifact: its text is the tool's result, which the chat agent shows (SPEC
4.5, 4.6).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from agents.artifact_agents.journal import BufferedJournal
from agents.artifact_agents.problems import Problem
from agents.engine.agent import AgentSpec, RunBudget
from agents.engine.loop import run_agent
from agents.engine.ports import Agent, LanguageModel, RunPorts, ToolContext, ToolOutcome
from agents.engine.run_progress import FALLBACK, last_fallback_notice
from agents.errors import RunError, ToolFailed
from agents.messages import File, FinishReason, Notice
from artifacts.kinds import TEXT, ArtifactKind

_FENCED = re.compile(r"\A\s*(?P<fence>`{3,}|~{3,})(?P<language>[^\n`]*)\n(?P<body>.*\n)?(?P=fence)\s*\Z", re.DOTALL)
_INNER = re.compile(r"^(?P<fence>`{3,}|~{3,})(?P<language>[^\n`]+)\n(?P<body>.*?\n)(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE)
EMPTY_ANSWER = "The agent answered without any text, so that nothing was written."
UNFINISHED_TEXTS = {
    FinishReason.LENGTH: "The text reached the model's maximum length before its end.",
    FinishReason.CONTENT_FILTER: "The provider's safety filter ended the text before its end.",
}


def without_fence(text: str, languages: Collection[str]) -> str:
    """Return the body when one code fence of these languages wraps the entire text, else the text unchanged."""
    match = _FENCED.match(text)
    if match is None or match["language"].strip().lower() not in languages:
        return text
    body = match["body"] or ""
    return body if _fences_are_paired(body, match["fence"]) else text


def only_fence(text: str, languages: Collection[str]) -> str:
    """Return the body of the only fence of these languages between other text, else the text unchanged."""
    fences = [match for match in _INNER.finditer(text) if match["language"].strip().lower() in languages]
    return fences[0]["body"] if len(fences) == 1 else text


def _fences_are_paired(body: str, fence: str) -> bool:
    """Return whether the fences inside `body` are paired.

    If not, the outer fence was closed inside it, and so never wrapped the entire text.
    """
    inside = False
    for info in re.findall(rf"^{fence}[`~]*([^\n]*)$", body, re.MULTILINE):
        if not inside or not info.strip():  # a closing fence has no info string
            inside = not inside
    return not inside


@dataclass(frozen=True, slots=True)
class AuthoringPrompt:
    """An agent and the prompt for it."""

    agent: AgentSpec
    prompt: str
    files: tuple[File, ...] = ()  # of the conversation, sent behind the prompt


@dataclass(frozen=True, slots=True)
class TextCheck:
    """How a text is checked and repaired."""

    check: Callable[[str], Problem | None]  # finds a problem in a text
    repair: Callable[[str, Problem], AuthoringPrompt]  # returns the prompt for repairing a text with this problem
    max_repairs: int  # how often a repair is attempted


@dataclass(frozen=True, slots=True)
class AuthoredText:
    """A complete text."""

    content: str
    problem: Problem | None = None  # what is still wrong with it


@dataclass(frozen=True, slots=True)
class AuthoringContext:
    """What an agent works with: a model, a journal for its text and the run's budget."""

    model: LanguageModel
    journal: BufferedJournal
    budget: RunBudget


class TextAuthor:
    """Writes one text. `partial_text` is what exists of it, also when the work failed or was stopped."""

    def __init__(self, desk: AuthoringContext, kind: ArtifactKind | None, check: TextCheck | None = None) -> None:
        """`kind`: of the text, whose code fence may wrap it; None for prose."""
        self._desk, self._kind, self._checking = desk, kind, check
        self._newest: AuthoredText | None = None

    @property
    def partial_text(self) -> str:
        return self._text_without_fence() if self._newest is None else self._newest.content

    async def write(self, first: AuthoringPrompt) -> AuthoredText:
        """Return the complete text, after repairs if necessary.

        Raises the model's RunError, and ToolFailed for a text that is incomplete or empty.
        """
        whole = self._newest = await self._attempt(first)
        for _ in range(self._checking.max_repairs if self._checking else 0):
            if whole.problem is None or (repair := await self._repair(whole.content, whole.problem)) is None:
                break
            whole = self._newest = repair
        return whole

    async def _repair(self, content: str, problem: Problem) -> AuthoredText | None:
        """Return the repaired text; None when the model gives no text, because a broken text is better than none."""
        assert self._checking is not None
        try:
            return await self._attempt(self._checking.repair(content, problem))
        except (RunError, ToolFailed):
            return None

    async def _attempt(self, attempt: AuthoringPrompt) -> AuthoredText:
        desk = self._desk
        desk.journal.start_prompt(attempt.prompt, attempt.files)
        outcome = await run_agent(Agent(spec=attempt.agent, budget=desk.budget), RunPorts(model=desk.model, journal=desk.journal))
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
    check: TextCheck | None = None,
) -> ToolOutcome:
    """Write a text that becomes the tool's result. `kind`: of the text; None for prose.

    Raises ToolFailed for a text that is incomplete or empty.
    """
    journal = BufferedJournal(context.journal)
    try:
        authored_text = await TextAuthor(AuthoringContext(model, journal, context.budget), kind, check).write(first)
    except RunError as error:
        return ToolOutcome(str(error), is_error=True)
    problem = authored_text.problem.as_metadata() if authored_text.problem else {}
    fallback_text = last_fallback_notice(journal.entries)
    notices = (Notice(FALLBACK, fallback_text),) if fallback_text and fallback_text != last_fallback_notice(context.journal.entries) else ()
    return ToolOutcome({"operation": operation, "text": authored_text.content, **problem}, entries=notices)
