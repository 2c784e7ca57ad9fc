"""Egress: every outgoing HTTP request leaves through this package, which checks its target (docs/decisions/0002).

Use `fetch`, `post` and `call` for single requests, `checked_client` for SDKs, and `check_url` in forms. `urls`, `names` and `addresses` decide what
may be reached, `network` connects, `http1`, `framing` and `responses` read responses fast and within limits, and `read_throttle` saves CPU
when many responses stream.
"""

from security.egress.client import aclose_clients, checked_client
from security.egress.errors import EgressRefused, FetchFailed, words_for_model
from security.egress.requests import FetchResult, call, fetch, post
from security.egress.urls import check_url, origin_of

__all__ = [
    "EgressRefused",
    "FetchFailed",
    "FetchResult",
    "aclose_clients",
    "call",
    "check_url",
    "checked_client",
    "fetch",
    "origin_of",
    "post",
    "words_for_model",
]
