"""Settings of an agent, changed as an owner changes them: in the organization's admin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

from tests.e2e.admin_pages import agent_address
from tests.e2e.conftest import SessionOf
from tests.e2e.windows import Windows

Change = Callable[[Page], None]


@contextmanager
def changed(windows: Windows, session_of: SessionOf, *, agent: str, change: Change, back: Change) -> Iterator[None]:
    """`change` and then `back` are done by Alice on the agent's page in Acme's admin, which is saved after each."""
    with windows.signed_in(session_of("alice")) as page:
        _save(page, agent, change)
    try:
        yield
    finally:
        with windows.signed_in(session_of("alice")) as page:
            _save(page, agent, back)


def _save(page: Page, agent: str, change: Change) -> None:
    page.goto(agent_address(page, agent))
    change(page)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
