"""The one table of faults: which are tried again, which go to another endpoint, which count against the endpoint."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents import errors
from agents.errors import (
    AnswerCut,
    ContentBlocked,
    FirstByteTimeout,
    KeyMissing,
    MemberKeyRateLimited,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    StreamStalled,
)
from agents.providers.retry import ERROR_POLICIES, PERMANENT, TRANSIENT, ErrorPolicy, error_policy


def faults(kind: type[ProviderError]) -> Iterator[type[ProviderError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from faults(child)


def test_every_fault_has_its_line_in_the_table() -> None:
    assert {kind for kind in faults(ProviderError) if kind.__module__ == errors.__name__} == set(ERROR_POLICIES)


@pytest.mark.parametrize(
    ("error", "treatment"),
    [
        (ProviderUnavailable("Down."), TRANSIENT),
        (AnswerCut("Cut."), TRANSIENT),
        (FirstByteTimeout("Late."), TRANSIENT),
        (StreamStalled("Pings only."), ErrorPolicy(allows_failover=True, counts_as_failure=True)),
        (ProviderBusy("Busy."), TRANSIENT),
        (MemberKeyRateLimited("Busy."), ErrorPolicy(is_retryable=True, allows_failover=True)),
        (QuotaSpent("Spent."), ErrorPolicy(allows_failover=True)),
        (KeyMissing("None."), ErrorPolicy(allows_failover=True)),
        (PromptTooLong(), PERMANENT),
        (ContentBlocked("Blocked."), PERMANENT),
    ],
)
def test_each_fault_is_treated_as_its_line_in_the_table_says(error: ProviderError, treatment: ErrorPolicy) -> None:
    assert error_policy(error) == treatment


def test_a_kind_that_is_not_listed_is_treated_as_the_one_above_it() -> None:
    class Overloaded(ProviderUnavailable):
        pass

    assert error_policy(Overloaded("Busy.")) == TRANSIENT


def test_what_is_tried_again_may_also_go_elsewhere() -> None:
    assert all(treatment.allows_failover for treatment in ERROR_POLICIES.values() if treatment.is_retryable)
