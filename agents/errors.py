"""The errors of a run: one class per outcome that callers treat differently.

`code` is stable (API, logs, tests). `str(error)` is a plain sentence for the user and never contains a secret. It is written
where the error is raised; what providers' errors share is in agents.providers.errors.
"""

from __future__ import annotations

from typing import ClassVar, Literal

NextAction = Literal["retry", "continue", "settings"] | None  # what the user interface offers after the error
CONTEXT_TOO_LONG_TEXT = "This is too long for the model. Send a shorter message, attach less, or choose a model with a larger context."


class RunError(Exception):
    """The run can't continue."""

    code: ClassVar[str] = "run_failed"
    action: ClassVar[NextAction] = "retry"


class ProviderError(RunError):
    """The model's provider gave no answer."""

    code: ClassVar[str] = "provider_error"


class KeyMissing(ProviderError):
    """There is no usable key for the endpoint (SPEC 2.5)."""

    code: ClassVar[str] = "key_missing"
    action: ClassVar[NextAction] = "settings"


class KeyRejected(ProviderError):
    """The provider did not accept the key."""

    code: ClassVar[str] = "key_rejected"
    action: ClassVar[NextAction] = "settings"


class QuotaSpent(ProviderError):
    """The account behind the key has no credit left or has reached a limit that its owner set. Waiting does not help."""

    code: ClassVar[str] = "quota_spent"
    action: ClassVar[NextAction] = "settings"


class ProviderBusy(ProviderError):
    """Rate limit or overload. `retry_after_s` is set when the provider named a time."""

    code: ClassVar[str] = "provider_busy"

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class MemberKeyRateLimited(ProviderBusy):
    """The rate limit of a member's own key. It says nothing about the endpoint for other users."""


class ProviderUnavailable(ProviderError):
    """Network failure, timeout or a 5xx response."""

    code: ClassVar[str] = "provider_unavailable"


class FirstByteTimeout(ProviderUnavailable):
    """The provider accepted the request but did not start to answer in time."""


class StreamStalled(ProviderUnavailable):
    """The provider kept the stream open without answering or without ending it. Waiting as long again would not help."""


class CircuitOpen(ProviderUnavailable):
    """The endpoint failed so often that it is not called for a while (SPEC 2.6)."""


class RequestRefused(ProviderError):
    """The provider rejected the request's form or content for good (a 4xx response)."""

    code: ClassVar[str] = "request_refused"


class AddressRefused(RequestRefused):
    """Parley itself refuses to call the endpoint's address (SECURITY 14)."""

    action: ClassVar[NextAction] = "settings"


class TooManyTools(RequestRefused):
    """The request has more tools than the provider takes."""

    action: ClassVar[NextAction] = None

    def __init__(self, count: int, limit: int) -> None:
        super().__init__(
            f"This agent has {count} tools here, and its provider takes at most {limit}. Switch some off in the menu of the message box, or"
            " ask an admin to take some away from the agent."
        )


class PromptTooLong(RequestRefused):
    """The provider counted more tokens than fit the model's context window."""

    code: ClassVar[str] = "context_too_long"
    action: ClassVar[NextAction] = None

    def __init__(self) -> None:
        super().__init__(CONTEXT_TOO_LONG_TEXT)


class ContentBlocked(ProviderError):
    """The provider's safety filter blocked the prompt."""

    code: ClassVar[str] = "content_blocked"
    action: ClassVar[NextAction] = None


class AnswerCut(ProviderError):
    """The stream ended without the provider's end marker (SECURITY 23)."""

    code: ClassVar[str] = "answer_cut"


class ContextTooLong(RunError):
    """The newest message and the newest turn alone exceed the model's context window (SPEC 3.8)."""

    code: ClassVar[str] = "context_too_long"
    action: ClassVar[NextAction] = None

    def __init__(self) -> None:
        super().__init__(CONTEXT_TOO_LONG_TEXT)


class JournalError(Exception):
    """The entries of a nested run could not be stored. Ends both the nested run and its parent.

    `error` is the exception that the parent run's journal raised.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class ToolFailed(Exception):
    """A tool failed; the text is returned to the model as the result of the call."""
