"""What a run that failed tells its user, and the log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from agents.errors import ProviderBusy, RunError
from agents.messages import Notice
from tenants.errors import ParleyError

log = structlog.get_logger(__name__)

UNEXPECTED_ERROR = "Something went wrong on our side. Nothing you wrote is lost; please try again."
GAVE_UP_TEXT = "The answer could not be finished after several attempts. What was written so far is kept; please try again."
GAVE_UP = Notice("gave_up", GAVE_UP_TEXT, "error", "retry")
CRASHED = Notice("internal_error", UNEXPECTED_ERROR, "error", "retry")
MAX_RETRY_WAIT_S = 600.0  # a longer wait is for the user to decide about


def failure_notice(error: RunError | ParleyError) -> Notice:
    """Return the notice for the error that ended a run, and leave a line in the log."""
    if isinstance(error, RunError):
        log.warning("run_failed", code=error.code, error=type(error).__name__)  # a provider may quote the question
    else:
        log.warning("run_refused", code=error.code, reason=str(error))
    action: Any = error.action
    return Notice(error.code, str(error), "error", action, _retry_at(error))


def _retry_at(error: RunError | ParleyError) -> str:
    """Return when the provider wants to be asked again, as ISO 8601 in UTC; "" when it named no time."""
    wait_s = error.retry_after_s if isinstance(error, ProviderBusy) else None
    return (datetime.now(UTC) + timedelta(seconds=wait_s)).isoformat() if wait_s is not None and wait_s <= MAX_RETRY_WAIT_S else ""
