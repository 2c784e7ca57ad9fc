"""Chromium of the machine, and what every page in it must keep to."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, WebError

from tools.embedded.layout import ROOT

SCREENSHOTS = ROOT / "test-results"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first needs a third less CPU
# Chromium's own words for what a test of lost connections and of missing pages brings about.
EXPECTED_ERRORS = ("Failed to load resource", "WebSocket connection to")


def chromium() -> str:
    """The browser's path, from CHROMIUM or PATH. Without one the test is skipped, or fails when CI=true."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path:
        return path
    message = f"No browser: install one of {', '.join(NAMES)}, or set CHROMIUM to its path."
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


FILE_PATH = re.compile(r"/o/[^/]+/api/files/[^/]+/content/$")


class PageProblems:
    """The problems of all pages of a context: script errors, console errors, policy violations, requests to other hosts."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.problems: list[str] = []
        self._host, self._port = urlsplit(url).netloc, urlsplit(url).port
        context.on("weberror", self._weberror)
        context.on("console", self._console)
        context.on("request", self._request)

    def take(self) -> list[str]:
        """Return the problems since the last call."""
        problems, self.problems = self.problems, []
        return problems

    def _weberror(self, error: WebError) -> None:
        self.problems.append(f"page error: {error.error}")

    def _console(self, message: ConsoleMessage) -> None:
        if (message.type == "error" and not message.text.startswith(EXPECTED_ERRORS)) or "Content Security Policy" in message.text:
            self.problems.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        is_file = parts.netloc == f"localhost:{self._port}" and FILE_PATH.match(parts.path)  # files have the other loopback name
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self._host and not is_file:
            self.problems.append(f"foreign request: {request.url}")


def take_screenshots(pages: list[Page], test_name: str) -> None:
    """One picture of each open page into test-results/."""
    SCREENSHOTS.mkdir(exist_ok=True)
    name = "".join(letter if letter.isalnum() else "-" for letter in test_name)
    for number, page in enumerate(pages, 1):
        page.screenshot(path=Path(SCREENSHOTS, f"{name}-{number}.png"))
