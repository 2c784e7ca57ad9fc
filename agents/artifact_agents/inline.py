"""Work that makes no artifact: its text is the tool's result, which the chat agent shows (SPEC 4.5, 4.6)."""

from __future__ import annotations

from agents.artifact_agents.authoring import AuthoringContext, AuthoringPrompt, TextAuthor, TextCheck
from agents.artifact_agents.journal import BufferedJournal
from agents.engine.errors import RunError
from agents.engine.history import FALLBACK, last_fallback_notice
from agents.engine.messages import Notice
from agents.engine.ports import LanguageModel, ToolContext, ToolOutcome
from artifacts.kinds import ArtifactKind


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
