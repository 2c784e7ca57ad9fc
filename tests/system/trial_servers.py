"""PostgreSQL and Redis for trials that pytest does not start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from tools.embedded.environment import has_own_database
from tools.embedded.testing import DEFAULTS, TestServers


@contextmanager
def trial_servers() -> Iterator[None]:
    """Those that the environment names, else the test session's embedded ones; the environment names them while open."""
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    if has_own_database():
        yield
        return
    servers = TestServers()
    os.environ.update(servers.variables())
    try:
        servers.start()
        yield
    finally:
        servers.stop()
