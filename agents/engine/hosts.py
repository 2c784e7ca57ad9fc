"""Patterns of hosts, such as `example.com`, `*.example.com` or `example.com:8443`, with which an organization lists hosts."""

from __future__ import annotations

import re
from collections.abc import Iterable


def host_matches(host: str, patterns: Iterable[str], *, any_port: bool = False) -> bool:
    """Return whether a pattern names `host`, which has a port if it is not the usual one.

    `*.example.com` names all hosts below example.com, and not example.com itself. `any_port`: a pattern without a port
    names the host with every port.
    """
    names = {host, _without_port(host)} if any_port else {host}
    return any(_matches(name, pattern) for name in names for pattern in patterns)


def _matches(host: str, pattern: str) -> bool:
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _without_port(host: str) -> str:
    return re.sub(r":\d+\Z", "", host) if host.count(":") == 1 or host.startswith("[") else host
