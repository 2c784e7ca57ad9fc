"""The library's requests to providers, sent by the checked client."""

from __future__ import annotations

import io
from typing import Any

import requests
from asgiref.sync import async_to_sync
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from security.egress import EgressRefused, FetchFailed, call

Session = requests.Session
TIMEOUT_S = 10.0
DROPPED = frozenset({"connection", "accept-encoding", "content-length", "host"})  # the checked client writes its own


class CheckedTransport(BaseAdapter):
    """Sends what the session has prepared. Raises requests.ConnectionError, which the library turns into its own page."""

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        content = request.body.encode() if isinstance(request.body, str) else request.body
        assert content is None or isinstance(content, bytes)  # the library sends forms
        headers = {name: str(value) for name, value in request.headers.items() if name.lower() not in DROPPED}
        try:
            answer = async_to_sync(call)(request.method or "GET", str(request.url), content=content, headers=headers, timeout_s=TIMEOUT_S)
        except (EgressRefused, FetchFailed) as error:
            raise requests.ConnectionError(error.message, request=request) from error
        response = requests.Response()
        response.status_code, response.url, response.request = answer.status, answer.url, request
        response.headers = CaseInsensitiveDict(
            {name: value for name, value in answer.headers.items() if name.lower() != "content-encoding"}
        )
        response.raw = io.BytesIO(answer.content)
        return response

    def close(self) -> None:
        """Nothing is kept open."""


def checked_session() -> requests.Session:
    session = requests.Session()
    session.trust_env = False  # no proxies or passwords from the environment
    session.max_redirects = 0
    for scheme in ("https://", "http://"):
        session.mount(scheme, CheckedTransport())
    return session
