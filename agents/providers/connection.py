"""What every provider adapter is given, and the limits that hold for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2

from security.secret_text import SecretText

CONNECT_TIMEOUT_S = 10.0  # SECURITY 23, for this and the two below
FIRST_BYTE_TIMEOUT_S = 60.0
READ_TIMEOUT_S = 90.0
CONTENT_TIMEOUT_S = 480.0  # of nothing but pings: models think unseen for minutes, and of a run's ten another endpoint should have some
CALL_TIMEOUT_S = 600.0  # as long as a run; titles and other calls beside a run have no limit but this


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One endpoint for one actor. `http`: the running loop's checked client; the adapter borrows it and never closes it.

    `timeout_s`: how long to wait for the first byte and between two; None: FIRST_BYTE_TIMEOUT_S and READ_TIMEOUT_S. `options`: what the
    endpoint can do, where its adapter has something to choose. `is_member_key`: the key is a person's own, not the organization's.
    `content_timeout_s`: how long nothing but pings may come; `call_timeout_s`: how long the whole call may take (agents.providers.streaming).
    """

    base_url: str
    http: httpx2.AsyncClient = field(repr=False)
    api_version: str = ""
    key: SecretText | None = None
    is_member_key: bool = False
    timeout_s: float | None = None
    content_timeout_s: float = CONTENT_TIMEOUT_S
    call_timeout_s: float = CALL_TIMEOUT_S
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def first_byte_timeout_s(self) -> float:
        return self.timeout_s or FIRST_BYTE_TIMEOUT_S

    @property
    def read_timeout_s(self) -> float:
        return self.timeout_s or READ_TIMEOUT_S
