"""Errors that callers of the chat APIs see: code, HTTP status and message (docs/protocol.md)."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext_lazy

from agents.errors import RunError
from tenants.errors import BadRequest, Conflict, NotFound, ParleyError


class RunActive(Conflict):
    """The conversation already has an active run."""

    code = "run_active"
    message = gettext_lazy("An answer is still being written here. Wait for it or stop it first.")


class AnswerWaits(Conflict):
    """The conversation has a run that waits for a person."""

    code = "answer_waits"
    message = gettext_lazy("An answer here is waiting for you. Decide or reply first, or stop it.")


class RunEnded(Conflict):
    """A message was sent into a run that has ended."""

    code = "run_over"
    message = gettext_lazy("This answer has ended already. Send your text as a new message.")


class AlreadyDecided(Conflict):
    """An approval was decided before or has expired.

    `run_id`: the approval's run. None: the stored call is not the one that was shown, or there is no stream left to follow.
    """

    code = "already_decided"
    message = gettext_lazy("This was decided already, or it has expired.")

    def __init__(self, run_id: UUID | None = None) -> None:
        super().__init__()
        self.run_id = run_id


class AlreadyAnswered(Conflict):
    """A client call has its output already, or its run does not wait for it any more."""

    code = "already_answered"
    message = gettext_lazy("This call has its result already, or the answer does not wait for it any more.")


class TooManyInputs(Conflict):
    """A run has too many inputs that it has not read yet."""

    code = "too_many_inputs"
    status = 429
    message = gettext_lazy("The answer has not heard your last messages yet. Wait a moment.")


class TooManyRuns(Conflict):
    """The member has too many active runs."""

    code = "too_many_runs"
    status = 429
    message = gettext_lazy("Too many answers at once. Wait for one to finish, or stop one.")


class NothingToRegenerate(BadRequest):
    """There is no answer that could be regenerated."""

    code = "nothing_to_regenerate"
    message = gettext_lazy("There is no answer to write again.")


class NothingToEdit(NotFound):
    """The message that a send replaces is not in the conversation."""

    code = "nothing_to_edit"
    message = gettext_lazy("The message that you changed is not in this conversation any more. Reload it and try again.")


class PatchFailed(Conflict):
    """The model gave no replacement for a selection. Carries the code, message and action of the RunError."""

    def __init__(self, error: RunError) -> None:
        super().__init__(str(error), action=error.action)
        self.code = error.code


class ConversationTooLarge(ParleyError):
    """The messages and artifact versions of the conversation are too large for one export file."""

    code = "export_too_large"
    status = 413
    message = gettext_lazy("This conversation is too much for one file. Download its artifacts one by one.")
