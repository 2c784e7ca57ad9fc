"""Both admin sites in a browser: no page breaks its Content Security Policy or its own scripts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tenants.context import tenant_tx
from tests.support.cast import make_cast
from tests.support.seeding import seed_organization

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/)\d+(?=/)")
PROBLEM = re.compile(r"Content Security Policy|TrustedHTML|TrustedScript|Refused to", re.IGNORECASE)

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium"),
    pytest.mark.urls("tests.security.admin_urls"),
    pytest.mark.django_db(transaction=True, databases=["default", "system"]),
]


@pytest.mark.parametrize("start", ["/o/acme/admin/", "/operator/"])
def test_no_page_breaks_its_policy(live_server: LiveServer, client: Client, start: str) -> None:
    session = operator_session(client)
    with browser(live_server.url, session) as context:
        page = context.new_page()
        problems = watch(page)
        visited = walk(page, live_server.url, start)
    assert len(visited) >= 5
    assert not problems


def operator_session(client: Client) -> str:
    """The session of someone who may open both sites, in an organization with its first configuration."""
    cast = make_cast()
    with tenant_tx(cast.acme.id):
        seed_organization(cast.acme)
    cast.alice.is_staff = cast.alice.is_superuser = True
    cast.alice.save()
    client.force_login(cast.alice)
    return client.cookies["parley_session"].value


@contextmanager
def browser(url: str, session: str) -> Iterator[BrowserContext]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = chromium.new_context()
        context.add_cookies([{"name": "parley_session", "value": session, "url": url}])
        yield context
        chromium.close()


def watch(page: Page) -> list[str]:
    """Fills with what the page's console says about the policy, and with errors of its scripts."""
    problems: list[str] = []

    def on_message(message: ConsoleMessage) -> None:
        if PROBLEM.search(message.text):
            problems.append(f"{page.url}: {message.text}")

    page.on("console", on_message)
    page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
    return problems


def walk(page: Page, root: str, start: str) -> set[str]:
    """Open every page below `start` that links lead to, one of each kind; gives the kinds."""
    waiting, visited = [start], {start}
    while waiting:
        response = page.goto(root + waiting.pop(), wait_until="load")
        assert response is not None
        assert response.ok, response.url
        hrefs = page.eval_on_selector_all("a[href]", "links => links.map(link => link.pathname)")
        for path in hrefs:
            kind = ID.sub("*", path)
            if path.startswith(start) and kind not in visited and "logout" not in path:
                visited.add(kind)
                waiting.append(path)
    return visited
