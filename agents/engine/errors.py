"""What can go wrong in a run, one class per outcome that a caller treats differently.

`code` is stable (API, logs, tests). `str(error)` is a plain sentence for the person at the screen and never holds a secret.
"""

from __future__ import annotations

from typing import ClassVar, Literal

CONTEXT_TOO_LONG_TEXT = "This is too long for the model. Send a shorter message, attach less, or choose a model with a larger context."


class RunError(Exception):
    """A run cannot go on. `action`: what the screen offers next."""

    code: ClassVar[str] = "run_failed"
    action: ClassVar[Literal["retry", "continue", "settings"] | None] = "retry"


class ProviderError(RunError):
    """The model's provider did not give an answer."""

    code: ClassVar[str] = "provider_error"


class KeyMissing(ProviderError):
    """No usable key for the endpoint (SPEC 2.5)."""

    code: ClassVar[str] = "key_missing"
    action: ClassVar[Literal["retry", "continue", "settings"] | None] = "settings"


class KeyRejected(ProviderError):
    code: ClassVar[str] = "key_rejected"
    action: ClassVar[Literal["retry", "continue", "settings"] | None] = "settings"


class QuotaSpent(ProviderError):
    """The account behind the key may not spend more: no credit, or a limit that its owner set. Waiting does not help."""

    code: ClassVar[str] = "quota_spent"
    action: ClassVar[Literal["retry", "continue", "settings"] | None] = "settings"


class ProviderBusy(ProviderError):
    """Rate limit or overload; `retry_after_s` when the provider named a time."""

    code: ClassVar[str] = "provider_busy"

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class MemberKeyRateLimited(ProviderBusy):
    """The rate limit of a member's own key: nothing is wrong with the endpoint for others."""


class ProviderUnavailable(ProviderError):
    """Network failure, time-out or a 5xx answer."""

    code: ClassVar[str] = "provider_unavailable"


class FirstByteTimeout(ProviderUnavailable):
    """The provider took the request and did not begin to answer in time."""


class StreamStalled(ProviderUnavailable):
    """The provider kept a call open without an answer, or without an end. Waiting as long again would help nobody."""


class CircuitOpen(ProviderUnavailable):
    """The endpoint failed so often that it is not asked for a while (SPEC 2.6)."""


class RequestRefused(ProviderError):
    """The provider refused the request's form or content for good (a 4xx answer)."""

    code: ClassVar[str] = "request_refused"


class AddressRefused(RequestRefused):
    """Parley itself does not call the endpoint's address (SECURITY 14)."""

    action: ClassVar[Literal["retry", "continue", "settings"] | None] = "settings"


class PromptTooLong(RequestRefused):
    """The provider counted more tokens than the model's window holds."""

    code: ClassVar[str] = "context_too_long"
    action: ClassVar[Literal["retry", "continue", "settings"] | None] = None

    def __init__(self) -> None:
        super().__init__(CONTEXT_TOO_LONG_TEXT)


class ContentBlocked(ProviderError):
    """The provider's safety filter blocked the prompt."""

    code: ClassVar[str] = "content_blocked"
    action: ClassVar[Literal["retry", "continue", "settings"] | None] = None


class AnswerCut(ProviderError):
    """The stream ended without the provider's end mark (SECURITY 23)."""

    code: ClassVar[str] = "answer_cut"


class ContextTooLong(RunError):
    """The newest message and the newest turn alone exceed the model's window (SPEC 3.8)."""

    code: ClassVar[str] = "context_too_long"
    action: ClassVar[Literal["retry", "continue", "settings"] | None] = None

    def __init__(self) -> None:
        super().__init__(CONTEXT_TOO_LONG_TEXT)


class JournalError(Exception):
    """What a run inside a run did could not be kept; `error` is what the journal of the run around it raised. Ends both."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class ToolFailed(Exception):
    """A tool failed; the text goes back to the model as the call's result."""
