"""What a sender or reader of conversations can be told (docs/protocol.md)."""

from __future__ import annotations

from uuid import UUID

from agents.engine.errors import RunError
from tenants.errors import BadRequest, Conflict, ParleyError


class RunActive(Conflict):
    code = "run_active"
    message = "An answer is still being written here. Wait for it or stop it first."


class RunOver(Conflict):
    code = "run_over"
    message = "This answer has ended already. Send your text as a new message."


class AlreadyDecided(Conflict):
    """`run_id`: the run that was asked about; None: what was decided is not what would run, or nothing is left to follow."""

    code = "already_decided"
    message = "This was decided already, or it has expired."

    def __init__(self, run_id: UUID | None = None) -> None:
        super().__init__()
        self.run_id = run_id


class AlreadyAnswered(Conflict):
    code = "already_answered"
    message = "This call has its result already, or the answer does not wait for it any more."


class TooManyInputs(Conflict):
    code = "too_many_inputs"
    status = 429
    message = "The answer has not heard your last messages yet. Wait a moment."


class TooManyRuns(Conflict):
    code = "too_many_runs"
    status = 429
    message = "You have many answers being written at once. Wait until one of them has ended, or stop one."


class NothingToRegenerate(BadRequest):
    code = "nothing_to_regenerate"
    message = "There is no answer to write again."


class PatchFailed(Conflict):
    """The model gave no replacement: with the code and the sentence of what went wrong."""

    def __init__(self, error: RunError) -> None:
        super().__init__(str(error), action=error.action)
        self.code = error.code


class ConversationTooLarge(ParleyError):
    """Its messages and the versions of its artifacts are more than one file takes."""

    code = "export_too_large"
    status = 413
    message = "This conversation is too much for one file. Download its artifacts one by one."
