"""A document becomes a template, an admin approves it, another member uses it, and another organization sees nothing."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.artifacts.test_documents import with_document
from tests.e2e.pages import Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider

TITLE = "Tea brief"


def cards(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Templates").get_by_role("option")


def card(page: Page, title: str) -> Locator:
    return page.get_by_role("listbox", name="Templates").get_by_role("option", name=title)


def test_a_document_becomes_a_template_that_others_use(visit: Visit, model: ScriptedProvider) -> None:
    page = with_document(visit("bob"), model).page
    page.get_by_role("complementary").get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Save as template").click()
    dialog = page.get_by_role("dialog", name="New template")
    dialog.get_by_label("Title").fill(TITLE)
    dialog.get_by_label("Category").fill("Research")
    text = dialog.get_by_role("textbox", name="Text", exact=True)
    text.evaluate("box => { const at = box.value.indexOf('hot'); box.focus(); box.setSelectionRange(at, at + 3) }")
    dialog.get_by_role("button", name="Make the selection a placeholder").click()
    expect(text).to_have_value(re.compile(r"Drink it \{\{hot\}\}\."))
    dialog.get_by_label("Label of {{hot}}").fill("How to drink it")
    dialog.get_by_label("Required").check()
    assert violations(page) == []
    shot(page, "editor")
    dialog.get_by_role("button", name="Save template").click()
    page.get_by_role("button", name="Open", exact=True).click()
    aside = page.get_by_role("complementary", name="Template")
    aside.get_by_role("button", name="Submit for review").click()
    expect(aside.get_by_role("group", name="State")).to_contain_text("waits for an admin")
    shot(page, "in-review")

    admin = visit("alice").page
    admin.goto("/o/acme/admin/")
    admin.get_by_role("link", name="Review templates").click()
    admin.get_by_role("link", name=TITLE).click()
    expect(admin.get_by_text("How to drink it: text, required, default “hot”")).to_be_visible()
    shot(admin, "admin-review")
    assert violations(admin) == []
    admin.get_by_role("button", name="Approve and publish").click()
    expect(admin.get_by_text("Everybody in the organization can use it now.")).to_be_visible()
    shot(admin, "admin-list")

    chat = visit("alice").open()
    page = chat.page
    chat.sidebar.get_by_role("link", name="Templates").click()
    page.get_by_role("searchbox", name="Search templates").fill("tea br")
    expect(cards(page)).to_have_count(1)
    card(page, TITLE).click()
    aside = page.get_by_role("complementary", name="Template")
    expect(aside).to_contain_text("Reviewed by Alice")
    field = aside.get_by_role("textbox", name="How to drink it")
    field.fill("cold")
    expect(aside.get_by_role("group", name="Preview")).to_contain_text("Drink it")
    assert violations(page) == []
    shot(page, "use")
    field.press("Enter")
    expect(chat.panel.text).to_contain_text("Drink it cold.")
    shot(page, "used")

    foreign = visit("charlie", organization="other").open("templates/").page
    expect(card(foreign, "Decision record")).to_be_visible()
    expect(card(foreign, TITLE)).to_have_count(0)


def test_the_set_is_walked_by_keyboard_and_a_prompt_goes_into_the_message_box(visit: Visit) -> None:
    chat = visit(dark=True).open("templates/")
    page = chat.page
    page.get_by_role("button", name="Prompts").click()
    expect(card(page, "Translate and keep the tone")).to_be_visible()
    expect(card(page, "Decision record")).to_have_count(0)
    card(page, "Challenge a plan").click()
    page.keyboard.press("ArrowRight")
    expect(card(page, "Prepare a difficult conversation")).to_be_focused()
    expect(page.get_by_role("heading", name="Prepare a difficult conversation")).to_be_visible()
    card(page, "Summarize for somebody busy").click()
    assert violations(page) == []
    shot(page, "dark")
    expect(page.get_by_role("button", name="Insert into the message box")).to_be_visible()
    page.keyboard.press("Enter")
    expect(chat.composer).to_have_value(re.compile("Summarize for my manager in half a page"))
    chat.composer.fill("")
    chat.composer.press_sequentially("/translate")
    expect(page.get_by_role("listbox", name="Prompts").get_by_role("option", name="Translate and keep the tone")).to_be_visible()

    phone = visit(phone=True).open("templates/").page
    expect(card(phone, "Decision record")).to_be_visible()
    assert violations(phone) == []
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(phone, "phone-grid")
    card(phone, "Decision record").click()
    expect(phone.get_by_role("button", name="Use template")).to_be_visible()
    expect(phone.get_by_role("group", name="Preview")).to_contain_text("Decision in a few words")
    shot(phone, "phone-aside")
    phone.get_by_role("button", name="Close", exact=True).click()
    expect(card(phone, "Decision record")).to_be_visible()
