"""A member's own keys: entered in the settings, checked with the provider, never kept by the browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.admin_pages import CONFIG, save, set_values
from tests.e2e.conftest import SessionOf
from tests.e2e.looks import LOOKS
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider
from tests.e2e.windows import Windows
from tests.support.system.product import Product

KEY = "AIzaSyNeverShownAgain-wxyz"
SETTINGS = f"{CONFIG}/appsettings/"
READ_STORAGE = "() => JSON.stringify([{...localStorage}, {...sessionStorage}])"


def allow(page: Page, allowed: bool) -> None:
    """Let members bring keys, as an owner does in the settings."""
    set_values(page, SETTINGS, own_keys_allowed="on" if allowed else "off")


def choose_provider(page: Page, provider: str) -> None:
    set_values(page, SETTINGS, active_provider=provider)


@pytest.fixture(scope="module")
def _google_at_the_double(windows: Windows, product: Product, session_of: SessionOf) -> None:
    with windows.signed_in(session_of("alice")) as page:
        page.goto("/o/acme/admin/admin_config/providerendpoint/")
        page.get_by_role("link", name="Google Gemini").first.click()
        page.get_by_label("Address").fill(product.double.base_url)
        save(page)


@pytest.fixture(scope="class")  # two saves of an admin page
def _allowed(_google_at_the_double: None, windows: Windows, session_of: SessionOf) -> Iterator[None]:
    with windows.signed_in(session_of("alice")) as page:
        allow(page, True)
    yield
    with windows.signed_in(session_of("alice")) as page:
        allow(page, False)


@pytest.fixture
def _google_answers(_allowed: None, windows: Windows, session_of: SessionOf) -> Iterator[None]:
    """Acme's chats are answered by Google, for which nobody has a key yet."""
    with windows.signed_in(session_of("alice")) as page:
        choose_provider(page, "google")
    yield
    with windows.signed_in(session_of("alice")) as page:
        choose_provider(page, "demo")


def open_keys(chat: ChatPage) -> Locator:
    """The part for Google in the settings."""
    chat.settings("API keys")
    google = google_of(chat)
    expect(google).to_be_visible()
    return google


def google_of(chat: ChatPage) -> Locator:
    return chat.section("API keys").get_by_role("region", name="Google Gemini")


def enter(google: Locator, key: str = KEY, *, session_only: bool = False) -> None:
    google.get_by_role("button", name="Enter a key for Google Gemini").click()
    field = google.get_by_label("API key for Google Gemini")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("type", "password")
    field.fill(key)
    google.get_by_role("switch", name="For this session only").set_checked(session_only)
    field.press("Enter")


@pytest.mark.usefixtures("_allowed")
class TestAllowed:
    def test_a_key_is_entered_checked_and_removed_and_the_browser_keeps_nothing_of_it(self, visit: Visit, product: Product) -> None:
        chat = visit("bob").open()
        google = open_keys(chat)
        expect(google.get_by_text("Not set")).to_be_visible()
        enter(google)
        expect(google.get_by_text("Google Gemini accepts this key.")).to_be_visible()
        expect(google.get_by_text("Your key that ends in wxyz is used.")).to_be_visible()
        expect(google.get_by_role("button", name="Replace")).to_be_focused()
        assert KEY not in chat.page.content()
        assert KEY not in chat.page.evaluate(READ_STORAGE)

        chat.page.reload()  # the address names the section
        expect(google.get_by_text("Your key that ends in wxyz is used.")).to_be_visible()
        google.get_by_role("button", name="Check").click()
        expect(google.get_by_text("Google Gemini accepts this key.")).to_be_visible()
        google.get_by_role("button", name="Remove").click()
        expect(google.get_by_text("Not set")).to_be_visible()
        expect(google.get_by_role("button", name="Enter a key for Google Gemini")).to_be_focused()

    def test_a_key_for_this_session_ends_with_it(self, visit: Visit) -> None:
        chat = visit("bob").open()
        google = open_keys(chat)
        enter(google, session_only=True)
        expect(google.get_by_text("Your key that ends in wxyz is used, until you sign out.")).to_be_visible()
        google.get_by_role("button", name="Remove").click()
        expect(google.get_by_text("Not set")).to_be_visible()

    def test_the_key_dialog_works_by_keyboard_and_gives_the_focus_back(self, visit: Visit) -> None:
        chat = visit("bob").open()
        menu = chat.page.get_by_role("button", name="settings and sign out")
        menu.press("Enter")
        self._reach(chat.page, chat.page.get_by_role("menuitem", name="Settings"), "ArrowDown")
        self._reach(chat.page, chat.page.get_by_role("dialog", name="Settings").get_by_role("button", name="API keys"), "Tab")
        google = google_of(chat)
        enter_button = google.get_by_role("button", name="Enter a key for Google Gemini")
        expect(enter_button).to_be_visible()
        self._reach(chat.page, enter_button, "Tab")
        expect(google.get_by_label("API key for Google Gemini")).to_be_focused()
        chat.page.keyboard.press("Escape")
        expect(google).to_have_count(0)
        expect(menu).to_be_focused()

    def _reach(self, page: Page, target: Locator, key: str) -> None:
        """Press `key` until `target` has the focus, then Enter."""
        expect(target).to_be_visible()
        for _ in range(20):
            if target.evaluate("one => one === document.activeElement"):
                break
            page.keyboard.press(key)
        page.keyboard.press("Enter")

    @LOOKS
    def test_the_key_dialog_violates_no_rule_of_accessibility(self, visit: Visit, dark: bool, phone: bool) -> None:
        chat = visit("bob", dark=dark, phone=phone).open()
        if phone:
            chat.page.get_by_role("button", name="Show sidebar").click()
        google = open_keys(chat)
        assert violations(chat.page) == []
        google.get_by_role("button", name="Enter a key for Google Gemini").click()
        assert violations(chat.page) == []


@pytest.mark.usefixtures("_google_answers")
def test_an_answer_that_failed_for_want_of_a_key_leads_to_where_one_is_entered(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit("bob").open()
    models = chat.page.get_by_role("button", name="Model: ")
    models.click()
    expect(chat.page.get_by_role("menuitem", name="Enter your key")).to_be_visible()
    shot(chat.page, "model-menu-key")
    assert violations(chat.page) == []
    chat.page.get_by_role("menuitem", name="Enter your key").click()
    expect(google_of(chat).get_by_text("Not set")).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(models).to_be_focused()
    chat.composer.fill("What is tea?")
    chat.composer.press("Enter")
    expect(chat.answer.get_by_text("There is no API key for Google Gemini.")).to_be_visible()
    chat.page.get_by_role("button", name="Your API keys", exact=True).click()
    google = google_of(chat)
    enter(google)
    expect(google.get_by_text("Google Gemini accepts this key.")).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(chat.page.get_by_role("button", name="Your API keys", exact=True)).to_be_focused()

    model.answer_chat(Text("A drink."))
    chat.page.get_by_role("button", name="Try again").click()
    expect(chat.answer.get_by_text("A drink.")).to_be_visible()
    chat.rests()
    assert model.chat_requests[-1].key_is(KEY)
    with chat.page.expect_response("**/api/keys/"):
        models.click()
    expect(chat.page.get_by_role("menuitemradio").first).to_be_visible()
    expect(chat.page.get_by_role("menuitem", name="Enter your key")).to_have_count(0)
    chat.page.keyboard.press("Escape")
    open_keys(chat).get_by_role("button", name="Remove").click()
    expect(google.get_by_text("Not set")).to_be_visible()


def test_where_members_bring_none_the_dialog_says_so(visit: Visit) -> None:
    chat = visit("bob").open()
    google = open_keys(chat)
    expect(chat.page.get_by_text("allow members to use their own keys. An owner or admin can allow it.")).to_be_visible()
    expect(google.get_by_role("button", name="Enter a key for Google Gemini")).to_have_count(0)


def test_an_owner_finds_the_switch_from_there(visit: Visit) -> None:
    chat = visit("alice").open()
    open_keys(chat)
    assert violations(chat.page) == []
    chat.page.get_by_role("link", name="Change it in the settings").click()
    expect(chat.page.get_by_label("Members' own keys")).to_be_visible()


def test_a_viewer_has_no_keys(visit: Visit) -> None:
    chat = visit("vera").open()
    chat.settings("Instructions")
    expect(chat.page.get_by_role("dialog", name="Settings").get_by_role("button", name="API keys")).to_have_count(0)
