"""What each fault of a provider means for what is done next (SPEC 2.6). The same table, with what the user reads: docs/providers.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agents.engine.errors import (
    AddressRefused,
    AnswerCut,
    CircuitOpen,
    ContentBlocked,
    FirstByteTimeout,
    KeyMissing,
    KeyRejected,
    MemberKeyRateLimited,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RequestRefused,
    StreamStalled,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorPolicy:
    """`is_retryable`: the same endpoint may answer in a moment. `allows_failover`: another endpoint may not have this fault.

    `counts_as_failure`: the endpoint's breaker counts the call as failed; a call with another fault is not counted at all. A key's own fault does not
    count: keys can be a member's own, the breaker is the organization's. A rate limit of the organization's key does: who has to wait is
    no help to anybody.
    """

    is_retryable: bool = False
    allows_failover: bool = False
    counts_as_failure: bool = False


TRANSIENT = ErrorPolicy(is_retryable=True, allows_failover=True, counts_as_failure=True)
PERMANENT = ErrorPolicy()

ERROR_POLICIES: Mapping[type[ProviderError], ErrorPolicy] = {
    ProviderBusy: TRANSIENT,
    MemberKeyRateLimited: ErrorPolicy(is_retryable=True, allows_failover=True),
    ProviderUnavailable: TRANSIENT,
    FirstByteTimeout: TRANSIENT,
    StreamStalled: ErrorPolicy(allows_failover=True, counts_as_failure=True),
    AnswerCut: TRANSIENT,
    QuotaSpent: ErrorPolicy(allows_failover=True),
    KeyMissing: ErrorPolicy(allows_failover=True),
    KeyRejected: ErrorPolicy(allows_failover=True),
    AddressRefused: ErrorPolicy(allows_failover=True),
    CircuitOpen: ErrorPolicy(allows_failover=True),
    RequestRefused: PERMANENT,
    PromptTooLong: PERMANENT,
    ContentBlocked: PERMANENT,
    ProviderError: PERMANENT,
}


def error_policy(error: ProviderError) -> ErrorPolicy:
    """The treatment of the error's class, or of the nearest class above it."""
    return next(ERROR_POLICIES[kind] for kind in type(error).__mro__ if kind in ERROR_POLICIES)
