"""The one table of faults: which are tried again, which go to another endpoint, which count against the endpoint."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.engine import errors
from agents.engine.errors import (
    AnswerCut,
    AnswerStalled,
    ContentBlocked,
    FirstByteLate,
    KeyMissing,
    OwnKeyBusy,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
)
from agents.providers.policy import PASSING, STRUCTURAL, TREATMENTS, Treatment, treatment_of


def faults(kind: type[ProviderError]) -> Iterator[type[ProviderError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from faults(child)


def test_every_fault_has_its_line_in_the_table() -> None:
    assert {kind for kind in faults(ProviderError) if kind.__module__ == errors.__name__} == set(TREATMENTS)


@pytest.mark.parametrize(
    ("error", "treatment"),
    [
        (ProviderUnavailable("Down."), PASSING),
        (AnswerCut("Cut."), PASSING),
        (FirstByteLate("Late."), PASSING),
        (AnswerStalled("Pings only."), Treatment(elsewhere=True, counts=True)),
        (ProviderBusy("Busy."), PASSING),
        (OwnKeyBusy("Busy."), Treatment(again=True, elsewhere=True)),
        (QuotaSpent("Spent."), Treatment(elsewhere=True)),
        (KeyMissing("None."), Treatment(elsewhere=True)),
        (PromptTooLong(), STRUCTURAL),
        (ContentBlocked("Blocked."), STRUCTURAL),
    ],
)
def test_the_treatment_of_a_fault(error: ProviderError, treatment: Treatment) -> None:
    assert treatment_of(error) == treatment


def test_a_kind_that_is_not_listed_is_treated_as_the_one_above_it() -> None:
    class Overloaded(ProviderUnavailable):
        pass

    assert treatment_of(Overloaded("Busy.")) == PASSING


def test_what_is_tried_again_may_also_go_elsewhere() -> None:
    assert all(treatment.elsewhere for treatment in TREATMENTS.values() if treatment.again)
