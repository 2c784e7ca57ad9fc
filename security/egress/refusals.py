"""Counts refused requests for the audit log: whoever makes an agent knock at inside addresses leaves a trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2

from security.audit.event_counts import count_event
from security.egress.errors import EgressRefused
from tenants.request_context import current_request


@contextmanager
def counted_refusals(url: str | httpx2.URL) -> Iterator[None]:
    """Count an EgressRefused of the block for the organization that the work is for, or else for the operator."""
    try:
        yield
    except EgressRefused as refusal:
        request = current_request()
        host = _host(url)
        count_event(
            organization_id=request.organization_id,
            actor_user_id=request.actor_user_id,
            action="egress.refuse",
            object_kind="host",
            object_id=host,
            object_label=host,
            outcome="refused",
            detail={"reason": str(refusal), "run": request.run_id} if request.run_id else {"reason": str(refusal)},
        )
        raise


def _host(url: str | httpx2.URL) -> str:
    """Return the host and port of a URL, without what may be private: path, query, user."""
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        return "invalid address"
    return parsed.netloc.decode("ascii", "replace").rpartition("@")[2] or f"{parsed.scheme}:"
