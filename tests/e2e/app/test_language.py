"""The language of the page: the member's own, changed without a reload, and pages that run from right to left."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider

# Says to the page that its reader's language is Arabic, which it has no texts for yet: English ones, from right to left.
ARABIC = """
const parse = JSON.parse
JSON.parse = (text, ...rest) => parse(String(text).replace('"language": "en"', '"language": "ar"'), ...rest)
"""
FITS = "document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture
def bob(visit: Visit) -> Iterator[ChatPage]:
    """Bob's page. Afterwards his language is his browser's again."""
    chat = visit("bob").open()
    yield chat
    csrf = chat.page.locator("#boot").evaluate("element => JSON.parse(element.textContent).csrfToken")
    headers = {"X-CSRFToken": csrf, "Referer": chat.page.url}
    assert chat.page.request.patch("/o/acme/api/profile/", data={"language": ""}, headers=headers).ok


def read_in_german(page: Page) -> None:
    """Let the browser ask for German, as it does where no language is chosen."""
    page.context.set_extra_http_headers({"Accept-Language": "de-DE,de;q=0.9"})


def test_a_language_is_chosen_without_losing_what_was_typed(bob: ChatPage, model: ScriptedProvider) -> None:
    page = bob.page
    bob.composer.fill("Ein angefangener Satz")
    bob.settings("Appearance").get_by_role("combobox", name="Language").select_option("Deutsch")
    settings = page.get_by_role("dialog", name="Einstellungen")
    expect(settings.get_by_role("region", name="Darstellung")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.keyboard.press("Escape")
    message = page.get_by_role("textbox", name="Nachricht", exact=True)
    expect(message).to_have_value("Ein angefangener Satz")
    model.answer_chat(Text("Guten Tag."))
    page.get_by_role("button", name="Senden", exact=True).click()
    expect(page.get_by_role("article", name="Assistent")).to_contain_text("Guten Tag.")
    page.reload()
    expect(page.get_by_role("article", name="Assistent")).to_contain_text("Guten Tag.")
    expect(page.get_by_role("navigation", name="Unterhaltungen")).to_contain_text("Heute")
    message.fill("Noch einer")
    page.get_by_role("button", name="Einstellungen und Abmelden").click()
    page.get_by_role("menuitem", name="Einstellungen").click()
    settings.get_by_role("button", name="Darstellung", exact=True).click()
    settings.get_by_role("combobox", name="Sprache").select_option("English")
    expect(bob.section("Appearance")).to_be_visible()
    page.keyboard.press("Escape")
    expect(bob.composer).to_have_value("Noch einer")
    expect(bob.sidebar).to_contain_text("Today")


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_page_in_german_fits_and_violates_no_rule(visit: Visit, phone: bool) -> None:
    chat = visit("bob", phone=phone)
    read_in_german(chat.page)
    chat.open()
    expect(chat.page.get_by_role("textbox", name="Nachricht", exact=True)).to_have_attribute("placeholder", "Wobei kann ich helfen?")
    for address in ("", "#settings/appearance", "#settings/tokens", "usage/", "archive/"):
        chat.open(address)
        expect(chat.page.locator("html")).to_have_attribute("lang", "de")
        assert chat.page.evaluate(FITS), address
    assert violations(chat.page) == []


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_page_from_right_to_left_is_mirrored_and_fits(visit: Visit, model: ScriptedProvider, phone: bool) -> None:
    chat = visit("bob", phone=phone, fresh="a script of its own")
    chat.page.add_init_script(ARABIC)
    chat.open()
    expect(chat.page.locator("html")).to_have_attribute("dir", "rtl")
    model.answer_chat(Text("Two lines:\n\n```python\nprint('tea')\n```"))
    chat.composer.fill("A short program")
    chat.send_button.click()
    expect(chat.answer).to_contain_text("Two lines")
    chat.rests()
    code = chat.answer.locator("pre")
    assert code.evaluate("element => getComputedStyle(element).direction") == "ltr"
    assert chat.page.evaluate(FITS)
    if not phone:
        side, answer = chat.sidebar.bounding_box(), chat.answer.bounding_box()
        assert side is not None
        assert answer is not None
        assert side["x"] > answer["x"] + answer["width"]
    for address in ("#settings/appearance", "usage/", "archive/"):
        chat.open(address)
        expect(chat.page.locator("html")).to_have_attribute("dir", "rtl")
        assert chat.page.evaluate(FITS), address
