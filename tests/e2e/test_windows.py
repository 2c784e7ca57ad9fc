"""A shared window is given on without what was done in it, and a problem counts where it was seen."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import SessionOf
from tests.e2e.windows import DESKTOP, QUIET_PAGE, Windows

STORED = "() => [localStorage.length, sessionStorage.length]"
IS_DARK = "() => matchMedia('(prefers-color-scheme: dark)').matches"


def test_a_shared_window_has_nothing_of_the_test_before(windows: Windows, session_of: SessionOf) -> None:
    with windows.signed_in(session_of("alice")) as page:
        page.goto(QUIET_PAGE)
        page.evaluate("() => { localStorage.left = sessionStorage.left = 'behind' }")
        page.set_viewport_size({"width": 390, "height": 844})
        page.emulate_media(color_scheme="dark")
        page.context.new_page()
        page.context.route("**/*", lambda route: route.abort())
        page.context.set_offline(True)
    former = page
    with windows.signed_in(session_of("bob")) as page:
        assert page == former
        assert page.context.pages == [page]
        assert page.viewport_size == DESKTOP
        assert page.evaluate(STORED) == [0, 0]
        assert not page.evaluate(IS_DARK)
        page.goto("/o/acme/")
        expect(page.get_by_role("button", name="settings and sign out")).to_contain_text("Bob")


def test_a_problem_of_a_fixture_is_not_the_next_tests(windows: Windows, session_of: SessionOf) -> None:
    with pytest.raises(AssertionError, match="console: broken"), windows.signed_in(session_of("alice")) as page:
        page.evaluate("() => console.error('broken')")
    with windows.signed_in(session_of("alice")) as page:
        page.goto(QUIET_PAGE)  # of the same window, and without a problem


def test_a_window_is_not_shared_after_a_failure(windows: Windows, session_of: SessionOf) -> None:
    with pytest.raises(ZeroDivisionError), windows.signed_in(session_of("alice")) as page:
        raise ZeroDivisionError
    former = page
    with windows.signed_in(session_of("alice")) as page:
        assert page != former
