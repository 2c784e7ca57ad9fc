"""The real product, one browser, and pages in it that stay clean."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence

import pytest
from playwright.sync_api import Browser, BrowserContext, StorageState, expect, sync_playwright

from tests.e2e.browser import chromium
from tests.e2e.looks import Look
from tests.e2e.pages import ChatPage, Visit, sign_in
from tests.e2e.scripted_provider import ScriptedProvider
from tests.e2e.windows import OpenWindows, Windows
from tests.support.system.product import Product, product
from tools import bootstrap, frontend
from tools.embedded import ports

FRESH_S = 10 * 60
SEED_CAST = 'import runpy; runpy.run_module("tests.e2e.seed_cast", run_name="__main__")'
PATIENCE_MS = 120_000  # of a busy and slow machine; nothing that works waits for it

SessionOf = Callable[[str], StorageState]

_failure_key = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[_failure_key] = report.failed
    return report


@pytest.fixture(scope="session")
def browser_path() -> str:
    return chromium()


@pytest.fixture(scope="package")
def openid_port() -> int:
    """Where a test may start an OpenID provider that the product calls."""
    return ports.free_port()


@pytest.fixture(scope="package", name="product")
def running_product(
    browser_path: str, tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, openid_port: int
) -> Iterator[Product]:
    """One product with the cast of the tenancy tests, for all browser tests of this process; it ends with the last of them."""
    with bootstrap.exclusive_lock():
        frontend.build()
    with product(tmp_path_factory.mktemp("product") / "data", allowed=[f"127.0.0.1:{openid_port}"], more=SEED_CAST) as running:
        yield running


@pytest.fixture(scope="package")
def browser(browser_path: str, product: Product) -> Iterator[Browser]:
    """Ends with the last test of this package: Playwright keeps an event loop in this thread, which other tests don't expect.

    The product comes first: its database may need the template's migrations, which Django refuses beside an event loop.
    """
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        new_browser = playwright.chromium.launch(executable_path=browser_path)
        new_browser.on("context", lambda context: context.set_default_timeout(PATIENCE_MS))
        yield new_browser
        new_browser.close()


@pytest.fixture(scope="package")
def session_of(browser: Browser, product: Product) -> SessionOf:
    """What one of the cast has in the browser after signing in, at most ten minutes ago: dangerous acts ask again after fifteen."""
    states: dict[str, tuple[float, StorageState]] = {}

    def state(name: str) -> StorageState:
        start_s, storage = states.get(name, (0.0, None))
        if storage is None or time.monotonic() - start_s > FRESH_S:
            start_s, storage = time.monotonic(), signed_in(name)
            states[name] = start_s, storage
        return storage

    def signed_in(name: str) -> StorageState:
        with browser.new_context(base_url=product.url) as context:
            page = context.new_page()
            page.goto("/login/")
            sign_in(page, f"{name}@example.org")
            page.wait_for_url("/o/*/")
            return context.storage_state()

    return state


@pytest.fixture
def model(product: Product) -> Iterator[ScriptedProvider]:
    provider = ScriptedProvider(product.double)
    yield provider
    provider.release_gates()


@pytest.fixture(scope="package")
def windows(browser: Browser, product: Product) -> Windows:
    return Windows(browser, product.url)


@pytest.fixture
def visit(request: pytest.FixtureRequest, windows: Windows, session_of: SessionOf) -> Iterator[Visit]:
    """visit(name, organization=, dark=, phone=): a window of one of the cast; None is nobody yet.

    Another test may have had it before. `fresh` says why a test needs a new one: because of what it asks of it, such as a first visit, or
    of what it leaves in it that can't be taken back, such as a listener, a script of its own or a clock.
    The test fails on a script error, a console error, a policy violation or a request to another host in any of them. What a failed test
    had in view is in test-results/.
    """
    open_windows = OpenWindows(windows)

    def open_window(
        name: str | None = "alice", *, organization: str = "acme", dark: bool = False, phone: bool = False, fresh: str = ""
    ) -> ChatPage:
        open_page = open_windows.open if fresh else open_windows.borrow
        return ChatPage(open_page(session_of(name) if name else None, dark=dark, phone=phone), organization)

    yield open_window
    if request.node.stash.get(_failure_key, False):
        open_windows.close_after_failure(request.node.name)
    else:
        open_windows.close()


@pytest.fixture
def page_with_violations(browser: Browser, product: Product, session_of: SessionOf) -> Iterator[ChatPage]:
    """Alice's window for what the page's and the frames' policies have to stop: each attempt is an error in the console."""
    with browser.new_context(base_url=product.url, storage_state=session_of("alice"), reduced_motion="reduce") as context:
        yield ChatPage(context.new_page())


@pytest.fixture
def other_looks(request: pytest.FixtureRequest) -> Sequence[Look]:
    """How to look again at what a test saw in light on a desktop: the other colour and the other screen at once, and all pairs at night."""
    return [(True, True), (True, False), (False, True)] if request.config.getoption("nightly") else [(True, True)]


@pytest.fixture
def contexts(browser: Browser) -> Iterator[list[BrowserContext]]:
    browser_contexts: list[BrowserContext] = []
    yield browser_contexts
    for context in browser_contexts:
        context.close()
