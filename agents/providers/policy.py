"""What each fault of a provider means for what is done next (SPEC 2.6). The same table, with what the user reads: docs/providers.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agents.engine.errors import (
    AddressRefused,
    AnswerCut,
    AnswerStalled,
    ContentBlocked,
    EndpointResting,
    FirstByteLate,
    KeyMissing,
    KeyRejected,
    OwnKeyBusy,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RequestRefused,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Treatment:
    """`again`: the same endpoint may answer in a moment. `elsewhere`: another endpoint may not have this fault.

    `counts`: the endpoint's breaker counts the call as failed; a call with another fault is not counted at all. A key's own fault does not
    count: keys can be a member's own, the breaker is the organization's. A rate limit of the organization's key does: who has to wait is
    no help to anybody.
    """

    again: bool = False
    elsewhere: bool = False
    counts: bool = False


PASSING = Treatment(again=True, elsewhere=True, counts=True)
STRUCTURAL = Treatment()

TREATMENTS: Mapping[type[ProviderError], Treatment] = {
    ProviderBusy: PASSING,
    OwnKeyBusy: Treatment(again=True, elsewhere=True),
    ProviderUnavailable: PASSING,
    FirstByteLate: PASSING,
    AnswerStalled: Treatment(elsewhere=True, counts=True),
    AnswerCut: PASSING,
    QuotaSpent: Treatment(elsewhere=True),
    KeyMissing: Treatment(elsewhere=True),
    KeyRejected: Treatment(elsewhere=True),
    AddressRefused: Treatment(elsewhere=True),
    EndpointResting: Treatment(elsewhere=True),
    RequestRefused: STRUCTURAL,
    PromptTooLong: STRUCTURAL,
    ContentBlocked: STRUCTURAL,
    ProviderError: STRUCTURAL,
}


def treatment_of(error: ProviderError) -> Treatment:
    """The treatment of the error's class, or of the nearest class above it."""
    return next(TREATMENTS[kind] for kind in type(error).__mro__ if kind in TREATMENTS)
