"""Errors of outgoing requests."""

from __future__ import annotations

from tenants.errors import ParleyError


class EgressRefused(ParleyError):
    """Our own rules forbid the request or its response. The message is a plain sentence without paths, queries or keys."""

    code = "egress_refused"
    status = 400


class FetchFailed(ParleyError):
    """The other side gave no usable response (network error, timeout, malformed response)."""

    code = "fetch_failed"
    status = 502
