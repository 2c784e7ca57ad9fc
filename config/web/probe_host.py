"""Lets load balancers and orchestrators ask a process by its own address how it is."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

PROBES = frozenset({"/livez", "/readyz"})


class ProbeHost:
    """ASGI middleware: a request for a health check has the public host, whatever address it came to. Django refuses other hosts."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["path"] in PROBES:
            host = urlsplit(settings.PUBLIC_URL).netloc.encode()
            scope = {**scope, "headers": [(b"host", host), *(header for header in scope["headers"] if header[0] != b"host")]}
        await self.application(scope, receive, send)
