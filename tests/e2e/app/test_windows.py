"""A used window is given on without what was done in it, and a problem counts where it was seen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import SessionOf
from tests.e2e.windows import DESKTOP, PHONE, QUIET_PAGE, Windows

LEAVE = """async () => {
  localStorage.left = sessionStorage.left = window.name = 'behind'
  document.cookie = 'left=behind; max-age=3600'
  await new Promise((resolve, reject) => Object.assign(indexedDB.open('left'), { onsuccess: resolve, onerror: reject }))
  await (await caches.open('left')).put('/left', new Response('behind'))
  await (await (await navigator.storage.getDirectory()).getFileHandle('left', { create: true })).createWritable()
  setInterval(() => { document.title = 'behind' }, 1)
  addEventListener('pagehide', () => { localStorage.left = sessionStorage.left = 'behind' })
  addEventListener('beforeunload', (event) => event.preventDefault())
}"""
READ_LEFT = """async () => [
  ...Object.keys(localStorage), ...Object.keys(sessionStorage), window.name, document.title, document.cookie,
  ...(await indexedDB.databases()).map(({ name }) => name), ...await caches.keys(),
  ...await Array.fromAsync((await navigator.storage.getDirectory()).keys()),
].filter(Boolean)"""
READ_EMAIL = "async () => (await (await fetch('/o/acme/api/profile/')).json()).email"
READ_MEDIA = """() => ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: no-preference)', '(forced-colors: active)',
  '(prefers-contrast: more)', 'print'].filter((query) => matchMedia(query).matches)"""
READ_PERMISSION = "async () => (await navigator.permissions.query({ name: 'clipboard-read' })).state"
# What Playwright and the browser can't take back, or not by one call for all of it.
LASTING = {
    "add_init_script",
    "add_locator_handler",
    "clock",
    "expose_binding",
    "expose_function",
    "new_cdp_session",
    "on",
    "once",
    "route_from_har",
    "route_web_socket",
    "set_default_navigation_timeout",
    "set_default_timeout",
    "set_geolocation",
}
# A fresh window, or one that is nobody else's, or the session with the browser is ended.
WITHOUT_HARM = {"fresh", "watched_page", "page_with_violations", "detach"}


def leave_behind(page: Page) -> None:
    page.goto("/o/acme/")
    assert page.evaluate(READ_EMAIL) == "alice@example.org"
    page.goto(QUIET_PAGE)
    page.click("svg")  # only then a page may ask before it is left
    page.evaluate(LEAVE)
    page.set_viewport_size({"width": 600, "height": 500})
    page.emulate_media(color_scheme="dark", reduced_motion="no-preference", forced_colors="active", contrast="more", media="print")
    page.mouse.down()
    page.keyboard.down("Shift")
    page.set_extra_http_headers({"Accept-Language": "de"})
    page.context.set_extra_http_headers({"Accept-Language": "de"})
    page.context.grant_permissions(["clipboard-read"])
    page.context.new_page()
    for target in (page, page.context):
        target.route("**/*", lambda route: route.abort())
    page.context.set_offline(True)


def has_nothing_left(page: Page) -> None:
    assert page.context.pages == [page]
    page.goto(QUIET_PAGE)
    assert page.evaluate(READ_LEFT) == []
    assert page.evaluate(READ_MEDIA) == []
    assert page.evaluate(READ_PERMISSION) == "prompt"
    page.evaluate("() => addEventListener('mousemove', (event) => { window.pressed = event.buttons + event.shiftKey })")
    page.mouse.move(5, 5)
    page.wait_for_function("pressed === 0")
    page.goto("/o/acme/")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_be_visible()


@pytest.mark.parametrize(("phone", "size"), [(False, DESKTOP), (True, PHONE)], ids=["desktop", "phone"])
def test_a_used_window_has_nothing_of_the_test_before(windows: Windows, session_of: SessionOf, phone: bool, size: dict[str, int]) -> None:
    former = windows.borrow(session_of("alice"), dark=True, phone=phone)
    leave_behind(former.page)
    windows.give_back(former)
    window = windows.borrow(session_of("bob"), phone=phone)
    assert window == former
    has_nothing_left(window.page)
    assert window.page.viewport_size == size
    assert window.page.evaluate(READ_EMAIL) == "bob@example.org"
    windows.give_back(window)
    assert window.watch.take() == []
    assert window.context.cookies() == []


def test_a_window_of_a_desktop_is_no_phones(windows: Windows) -> None:
    desktop, phone = windows.borrow(None), windows.borrow(None, phone=True)
    windows.give_back(desktop)
    windows.give_back(phone)
    assert windows.borrow(None, phone=True, dark=True) == phone
    assert windows.borrow(None, dark=True) == desktop
    for window in (phone, desktop):
        assert window.page.evaluate(READ_MEDIA) == ["(prefers-color-scheme: dark)"]
        assert window.page.evaluate("navigator.maxTouchPoints > 0") == window.is_phone
        windows.give_back(window)


def test_two_people_at_once_have_a_window_each(windows: Windows, session_of: SessionOf) -> None:
    two_windows = [windows.borrow(session_of(name)) for name in ("alice", "bob")]
    for window, name in zip(two_windows, ("Alice", "Bob"), strict=True):
        window.page.goto("/o/acme/")
        expect(window.page.get_by_role("button", name="settings and sign out")).to_contain_text(name)
    for window in two_windows:
        windows.give_back(window)


def test_a_problem_of_a_fixture_is_not_the_next_tests(windows: Windows, session_of: SessionOf) -> None:
    with pytest.raises(AssertionError, match="console: broken"), windows.signed_in(session_of("alice")) as page:
        page.evaluate("() => console.error('broken')")
    with windows.signed_in(session_of("alice")) as page:
        page.goto(QUIET_PAGE)  # of the same window, and without a problem


def test_a_problem_that_comes_too_late_is_not_the_next_tests(windows: Windows) -> None:
    former = windows.borrow(None)
    windows.give_back(former)
    former.page.evaluate("() => console.error('late')")
    window = windows.borrow(None)
    assert window == former
    windows.give_back(window)
    assert window.watch.take() == []


def test_a_window_is_not_given_on_after_a_failure(windows: Windows, session_of: SessionOf) -> None:
    with pytest.raises(ZeroDivisionError), windows.signed_in(session_of("alice")) as page:
        raise ZeroDivisionError
    former = page
    with windows.signed_in(session_of("alice")) as page:
        assert page != former


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_window_whose_page_was_closed_is_not_given_on(windows: Windows, phone: bool) -> None:
    former = windows.borrow(None, phone=phone)
    former.page.close()
    windows.give_back(former)
    window = windows.borrow(None, phone=phone)
    assert window != former
    windows.give_back(window)


def test_what_cannot_be_taken_back_is_done_in_fresh_windows() -> None:
    assert [line for path in sorted(Path(__file__).parents[1].rglob("*.py")) for line in lasting_calls(path)] == []


def lasting_calls(path: Path) -> Iterator[str]:
    """The functions of a module of tests that leave something in a window and don't say why they open a fresh one."""
    tree = ast.parse(path.read_text())
    if path.name == "conftest.py" or "Visit" not in names_in(tree):
        return
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        names = names_in(function)
        if (lasting := names & LASTING) and not names & WITHOUT_HARM:
            yield f"{path.name}:{function.lineno}: {function.name} uses {', '.join(sorted(lasting))}"


def names_in(tree: ast.AST) -> set[str]:
    """What is named in it: variables, attributes, parameters and the names of arguments."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=name):
                names |= {name} if name else set()  # `**options` has none
    return names
