"""Windows of the browser: fresh ones, and shared ones that the next test goes on with.

A new window starts a process of its own. It costs 0.2 s of CPU more than a chat page in a window that is open, and 0.35 s more than an admin page.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from playwright.sync_api import Browser, Page, StorageState

from tests.e2e.browser import PageProblems, take_screenshots

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
QUIET_PAGE = "/static/favicon.svg"  # of the product's origin, and without a script


class Window:
    """A context with one page, and the problems that were seen in it."""

    def __init__(self, browser: Browser, url: str, state: StorageState | None, *, dark: bool = False, phone: bool = False) -> None:
        screen: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True} if phone else {"viewport": DESKTOP}
        colours: Literal["dark", "light"] = "dark" if dark else "light"
        self.context = browser.new_context(base_url=url, storage_state=state, color_scheme=colours, reduced_motion="reduce", **screen)
        self.watch = PageProblems(self.context, url)
        self.page = self.context.new_page()

    def sign_in(self, state: StorageState | None) -> None:
        self.context.clear_cookies()
        self.context.add_cookies([{**cookie} for cookie in (state or {}).get("cookies", [])])  # type: ignore[typeddict-item]

    def reset(self) -> None:
        """Take back what a test may leave in a shared window."""
        for page in self.context.pages:
            if page != self.page:
                page.close()
        self.context.set_offline(False)
        self.context.unroute_all()
        self.page.unroute_all()
        self.page.mouse.move(0, 0)  # what is below it looks otherwise, on the next page, too
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self.page.set_viewport_size({"width": DESKTOP["width"], "height": DESKTOP["height"]})
        self.page.goto(QUIET_PAGE)
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
        self.context.clear_cookies()


def fail_for(problems: list[str]) -> None:
    assert not problems, "\n".join(problems)  # pytest shows values only for tests and conftest.py


class Windows:
    """The windows of one process. `shared`: those that wait for the next test."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser, self._url = browser, url
        self._shared: list[Window] = []

    def open(self, state: StorageState | None, *, dark: bool = False, phone: bool = False) -> Window:
        return Window(self._browser, self._url, state, dark=dark, phone=phone)

    def borrow(self, state: StorageState | None) -> Window:
        """Return a light window of a desktop, with the cookies of `state`. `give_back` it."""
        if not self._shared:
            return self.open(state)
        window = self._shared.pop()
        window.sign_in(state)
        return window

    @contextmanager
    def signed_in(self, state: StorageState) -> Iterator[Page]:
        """A shared window's page, for what a fixture does. Raises AssertionError for a problem in it."""
        window = self.borrow(state)
        try:
            yield window.page
        except BaseException:
            window.context.close()
            raise
        self.give_back(window)
        fail_for(window.watch.take())  # or it would fail the next test

    def give_back(self, window: Window) -> None:
        window.reset()
        self._shared.append(window)


class OpenWindows:
    """The windows of one test."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._fresh: list[Window] = []
        self._borrowed: list[Window] = []

    def open(self, state: StorageState | None, *, dark: bool, phone: bool) -> Page:
        self._fresh.append(self._windows.open(state, dark=dark, phone=phone))
        return self._fresh[-1].page

    def borrow(self, state: StorageState | None) -> Page:
        self._borrowed.append(self._windows.borrow(state))
        return self._borrowed[-1].page

    def close(self) -> None:
        """End the test's windows, or give them back. Raises AssertionError for a problem in any of them."""
        for window in self._borrowed:
            self._windows.give_back(window)
        for window in self._fresh:
            window.context.close()
        fail_for([problem for window in (*self._fresh, *self._borrowed) for problem in window.watch.take()])

    def close_after_failure(self, test_name: str) -> None:
        """Take pictures of all windows and end them: none is shared any more."""
        windows = [*self._fresh, *self._borrowed]
        take_screenshots([page for window in windows for page in window.context.pages], test_name)
        for window in windows:
            window.context.close()
