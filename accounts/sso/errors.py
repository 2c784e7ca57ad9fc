"""Why a sign-on failed: `code` for the audit log, the message for the person."""

from __future__ import annotations

from tenants.errors import NotAllowed


class SignOnFailed(NotAllowed):
    """The provider's answer can't be used. The message says what to do next; `code` is in the audit log."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
