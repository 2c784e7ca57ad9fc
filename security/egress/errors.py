"""Errors of outgoing requests."""

from __future__ import annotations

from tenants.errors import ParleyError


class EgressRefused(ParleyError):
    """Our own rules forbid the request or its response. The message is a plain sentence without paths, queries or keys."""

    code = "egress_refused"
    status = 400


class TargetRefused(EgressRefused):
    """Where the request would go is not allowed. People who enter an address read why; models do not (`words_for_model`)."""


class FetchFailed(ParleyError):
    """The other side gave no usable response (network error, timeout, malformed response)."""

    code = "fetch_failed"
    status = 502


class Unreachable(FetchFailed):
    """No connection came about: the name does not exist, or nobody answers there."""


def words_for_model(error: EgressRefused | FetchFailed, unreachable: str) -> str:
    """Return what a model is told. `unreachable` stands for all that depends on the address, so that nothing inside can be probed."""
    return unreachable if isinstance(error, TargetRefused | Unreachable) else str(error)
