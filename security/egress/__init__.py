"""The one door to the outside (docs/decisions/0002): every outgoing HTTP request leaves through here."""

from security.egress.client import aclose_clients, checked_client
from security.egress.errors import EgressRefused, FetchFailed
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
]
