"""Settings of an agent, changed in the organization's admin before and after what a test looks at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.e2e.admin_pages import agent_address, set_values
from tests.e2e.conftest import SessionOf
from tests.e2e.windows import Windows


@contextmanager
def changed(windows: Windows, session_of: SessionOf, *, agent: str, change: Mapping[str, str], back: Mapping[str, str]) -> Iterator[None]:
    """Alice gives these fields of the agent's page in Acme's admin the values of `change`, and then those of `back`."""
    with windows.signed_in(session_of("alice")) as page:
        set_values(page, agent_address(page, agent), **change)
    try:
        yield
    finally:
        with windows.signed_in(session_of("alice")) as page:
            set_values(page, agent_address(page, agent), **back)
