"""What every provider adapter is given, and the limits that hold for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2

from security.secret_text import SecretText

CONNECT_S = 10.0  # SECURITY 23, for this and the two below
FIRST_BYTE_S = 60.0
SILENCE_S = 90.0
CONTENT_S = 480.0  # of nothing but pings: models think unseen for minutes, and of a run's ten another endpoint should have some
CALL_S = 600.0  # as long as a run; titles and other calls beside a run have no limit but this


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One endpoint for one actor. `http`: the running loop's checked client; the adapter borrows it and never closes it.

    `timeout_s`: how long to wait for the first byte and between two; None: FIRST_BYTE_S and SILENCE_S. `options`: what the
    endpoint can do, where its adapter has something to choose. `key_is_members`: the key is a person's own, not the organization's.
    `content_s`: how long nothing but pings may come; `call_s`: how long the whole call may take (agents.providers.stalls).
    """

    base_url: str
    http: httpx2.AsyncClient = field(repr=False)
    api_version: str = ""
    key: SecretText | None = None
    key_is_members: bool = False
    timeout_s: float | None = None
    content_s: float = CONTENT_S
    call_s: float = CALL_S
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def first_byte_s(self) -> float:
        return self.timeout_s or FIRST_BYTE_S

    @property
    def silence_s(self) -> float:
        return self.timeout_s or SILENCE_S
