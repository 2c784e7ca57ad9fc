"""Why an outgoing request was not made or gave no answer."""

from __future__ import annotations

from tenants.errors import ParleyError


class EgressRefused(ParleyError):
    """Our own rules forbid the request or its answer. The text is a plain sentence without paths, queries or keys."""

    code = "egress_refused"
    status = 400


class FetchFailed(ParleyError):
    """The other side did not give a usable answer (network, time-out, broken answer)."""

    code = "fetch_failed"
    status = 502
