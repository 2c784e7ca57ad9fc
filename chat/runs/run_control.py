"""How the process's supervisor reaches into a run that works here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from chat.runs.inbox import RunInbox
from chat.runs.journal import RunJournal
from security.secret_text import SecretText


class RunControl:
    """End the run, and read its open text.

    `sent_keys`: those that came with the request; kept here, in memory, and nowhere else.
    """

    def __init__(self, sent_keys: Mapping[str, SecretText] | None = None) -> None:
        self.sent_keys = dict(sent_keys or {})
        self.end_reason: Literal["stop", "drain", "lost"] | None = None
        self.is_finishing = False
        self.journal: RunJournal | None = None
        self.inbox: RunInbox | None = None
        self.cancel: Callable[[], bool] | None = None

    def end(self, end_reason: Literal["stop", "drain", "lost"]) -> None:
        """Cancel the run once, for this reason; nothing happens to a run that is being finished."""
        if self.end_reason is None and not self.is_finishing and self.cancel is not None:
            self.end_reason = end_reason
            self.cancel()

    def wake_inbox(self) -> None:
        """Something was sent into the run."""
        if self.inbox is not None:
            self.inbox.wake()

    def checkpoint(self) -> list[dict[str, Any]] | None:
        return self.journal.checkpoint() if self.journal is not None else None
