"""The connection that every provider adapter receives, and the time limits that apply to all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2

from security.secrets.secret_text import SecretText

CONNECT_TIMEOUT_S = 10.0  # SECURITY 23
CONTENT_TIMEOUT_S = 480.0  # of nothing but pings: models think silently for minutes, and another endpoint needs some of a run's ten
CALL_TIMEOUT_S = 600.0  # as long as a run; titles and other calls outside a run have no other limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One endpoint for one actor."""

    base_url: str
    # The running loop's checked client; the adapter borrows it and never closes it.
    http: httpx2.AsyncClient = field(repr=False)
    timeout_s: float  # the endpoint's time limit: until the first byte, and between two
    api_version: str = ""
    key: SecretText | None = None
    is_member_key: bool = False  # whether the key is a member's own, not the organization's
    content_timeout_s: float = CONTENT_TIMEOUT_S  # how long nothing but pings may arrive (agents.providers.streaming)
    call_timeout_s: float = CALL_TIMEOUT_S  # how long the whole call may take (agents.providers.streaming)
    options: Mapping[str, Any] = field(default_factory=dict)  # capabilities of the endpoint, where its adapter offers a choice
