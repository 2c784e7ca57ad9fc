"""Windows of the browser, which one test has after the other, and fresh ones.

A new window starts a process of its own. It costs 0.2 s of CPU more than a chat page in a window that is open, and 0.35 s more than an admin page.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Page, StorageState

from tests.e2e.browser import PageProblems, take_screenshots

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
MODIFIERS = ("Alt", "Control", "Meta", "Shift")
QUIET_PAGE = "/static/favicon.svg"  # of the product's origin, and without a script


class Window:
    """A context with one page, and the problems that were seen in it."""

    def __init__(self, browser: Browser, url: str, *, phone: bool = False) -> None:
        self.is_phone = phone
        self._size, touch = (PHONE, {"has_touch": True, "is_mobile": True}) if phone else (DESKTOP, {})
        screen: dict[str, Any] = {"viewport": self._size, **touch}
        self.context = browser.new_context(base_url=url, reduced_motion="reduce", **screen)
        self.watch = PageProblems(self.context, url)
        self.page = self.context.new_page()
        self._devtools = self.context.new_cdp_session(self.page)
        self._origins = [url, f"http://localhost:{urlsplit(url).port}"]  # files have the other loopback name

    def prepare(self, state: StorageState | None, *, dark: bool) -> None:
        """Give it the cookies of `state` and the colours."""
        self.context.add_cookies([{**cookie} for cookie in (state or {}).get("cookies", [])])  # type: ignore[typeddict-item]
        self.page.emulate_media(
            media="null", color_scheme="dark" if dark else "light", reduced_motion="reduce", forced_colors="null", contrast="null"
        )

    def reset(self) -> None:
        """Take back what a test may leave in a window. What stays is the browser's cache of files, which is most of what a used window saves."""
        for page in self.context.pages:
            if page != self.page:
                page.close()
        self._restore_network()
        self.page.mouse.move(0, 0)  # what is below it looks otherwise, on the next page, too
        self.page.set_viewport_size({"width": self._size["width"], "height": self._size["height"]})
        self.page.goto(QUIET_PAGE)
        self.page.mouse.up()
        for key in MODIFIERS:
            self.page.keyboard.up(key)
        self.page.evaluate("() => { sessionStorage.clear(); window.name = '' }")
        self._clear_storage()

    def _restore_network(self) -> None:
        self.context.set_offline(False)
        self.context.clear_permissions()
        for network in (self.context, self.page):
            network.set_extra_http_headers({})
            network.unroute_all()

    def _clear_storage(self) -> None:
        """All that is stored but the tab's own: cookies, and of each origin what scripts stored, databases, caches and service workers."""
        self.context.clear_cookies()
        for origin in self._origins:
            self._devtools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})


def fail_for(problems: list[str]) -> None:
    assert not problems, "\n".join(problems)  # pytest shows values only for tests and conftest.py


class Windows:
    """The windows of one process. Used ones wait for the next test."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser, self._url = browser, url
        self._used_windows: list[Window] = []

    def open(self, state: StorageState | None, *, dark: bool = False, phone: bool = False) -> Window:
        window = Window(self._browser, self._url, phone=phone)
        window.prepare(state, dark=dark)
        return window

    def borrow(self, state: StorageState | None, *, dark: bool = False, phone: bool = False) -> Window:
        """Return a window with the cookies of `state`. `give_back` it."""
        window = next((window for window in reversed(self._used_windows) if window.is_phone == phone), None)  # touch can't be switched off
        if window is None:
            return self.open(state, dark=dark, phone=phone)
        self._used_windows.remove(window)
        window.watch.take()  # what came too late for the test before is nobody's
        window.prepare(state, dark=dark)
        return window

    @contextmanager
    def signed_in(self, state: StorageState) -> Iterator[Page]:
        """A used window's page, for what a fixture does. Raises AssertionError for a problem in it."""
        window = self.borrow(state)
        try:
            yield window.page
        except BaseException:
            window.context.close()
            raise
        self.give_back(window)
        fail_for(window.watch.take())

    def give_back(self, window: Window) -> None:
        try:
            window.reset()
        except Error:  # a page that crashed or was closed
            window.context.close()
        else:
            self._used_windows.append(window)


class OpenWindows:
    """The windows of one test."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._fresh: list[Window] = []
        self._borrowed: list[Window] = []

    def open(self, state: StorageState | None, *, dark: bool, phone: bool) -> Page:
        self._fresh.append(self._windows.open(state, dark=dark, phone=phone))
        return self._fresh[-1].page

    def borrow(self, state: StorageState | None, *, dark: bool, phone: bool) -> Page:
        self._borrowed.append(self._windows.borrow(state, dark=dark, phone=phone))
        return self._borrowed[-1].page

    def close(self) -> None:
        """End the test's fresh windows, and give back the others. Raises AssertionError for a problem in any of them."""
        for window in self._borrowed:
            self._windows.give_back(window)
        for window in self._fresh:
            window.context.close()
        fail_for([problem for window in (*self._fresh, *self._borrowed) for problem in window.watch.take()])

    def close_after_failure(self, test_name: str) -> None:
        """Take pictures of all windows and end them: no other test gets one of them."""
        windows = [*self._fresh, *self._borrowed]
        take_screenshots([page for window in windows for page in window.context.pages], test_name)
        for window in windows:
            window.context.close()
