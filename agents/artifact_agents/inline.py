"""Work that makes no artifact: its text is the tool's result, which the chat agent shows (SPEC 4.5, 4.6)."""

from __future__ import annotations

from agents.artifact_agents.authoring import Attempt, Author, Checking, Desk
from agents.artifact_agents.journal import QuietJournal
from agents.engine.errors import RunError
from agents.engine.history import FALLBACK, told_of_fallback
from agents.engine.messages import Notice
from agents.engine.ports import LanguageModel, ToolContext, ToolOutcome
from artifacts.kinds import ArtifactKind


async def text_for_chat(
    operation: str,
    first: Attempt,
    model: LanguageModel,
    context: ToolContext,
    *,
    kind: ArtifactKind | None,
    checking: Checking | None = None,
) -> ToolOutcome:
    """`kind`: of what is written; None: words. Raises ToolFailed for a text without an end."""
    journal = QuietJournal(context.journal)
    try:
        authored = await Author(Desk(model, journal, context.budget), kind, checking).write(first)
    except RunError as error:
        return ToolOutcome(str(error), is_error=True)
    problem = authored.problem.as_metadata() if authored.problem else {}
    told = told_of_fallback(journal.entries)
    news = (Notice(FALLBACK, told),) if told and told != told_of_fallback(context.journal.entries) else ()
    return ToolOutcome({"operation": operation, "text": authored.content, **problem}, entries=news)
