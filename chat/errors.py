"""What a sender or reader of conversations can be told (docs/protocol.md)."""

from __future__ import annotations

from tenants.errors import BadRequest, Conflict


class RunActive(Conflict):
    code = "run_active"
    message = "An answer is still being written here. Wait for it or stop it first."


class TooManyRuns(Conflict):
    code = "too_many_runs"
    status = 429
    message = "You have many answers being written at once. Wait until one of them has ended, or stop one."


class NothingToRegenerate(BadRequest):
    code = "nothing_to_regenerate"
    message = "There is no answer to write again."
