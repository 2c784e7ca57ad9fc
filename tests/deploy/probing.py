"""Whether a probe says yes."""

from __future__ import annotations

import httpx2


def is_up(url: str) -> bool:
    """False also where nobody listens."""
    try:
        return httpx2.get(url, trust_env=False).is_success
    except httpx2.TransportError:
        return False
