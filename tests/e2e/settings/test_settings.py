"""The settings: one dialog with an address for each section, which the keyboard and Back close."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Route, expect

from doubles.script import Text
from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.pages import ChatPage, Visit, sign_in
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import Product

SCRIPT = "**/dist/assets/main-*.js"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0"
# Remembers what a status of the page has said.
WATCH = """() => {
  const look = () => {
    for (const status of document.querySelectorAll('[role=dialog] [role=status]')) window.said = status.textContent || window.said
  }
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
}"""
SECTIONS = ("Profile", "Appearance", "Chat", "Instructions", "API keys", "API tokens", "Security", "Usage", "Data")


def test_each_section_has_an_address_and_violates_no_rule(visit: Visit) -> None:
    chat = visit("bob").open()
    page = chat.page
    dialog = page.get_by_role("dialog", name="Settings")
    chat.settings("Profile")
    for name in SECTIONS:
        dialog.get_by_role("button", name=name, exact=True).click()
        expect(chat.section(name)).to_be_visible()
        expect(chat.section(name).get_by_role("status", name=re.compile("^Loading"))).to_have_count(0)
        assert violations_in_both_colours(page) == [], name
    dialog.get_by_role("button", name="Security", exact=True).click()
    expect(chat.section("Security").get_by_role("list", name="Devices signed in")).to_contain_text("This device")
    dialog.get_by_role("button", name="Data", exact=True).click()
    expect(page).to_have_url(re.compile("#settings/data$"))
    page.reload()
    expect(chat.section("Data")).to_be_visible()
    expect(dialog.get_by_role("button", name="Data", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page).to_have_url(re.compile("/o/acme/$"))
    chat.settings("Appearance")
    page.go_back()
    expect(dialog).to_have_count(0)


def test_the_look_is_kept_and_there_before_the_first_paint(visit: Visit) -> None:
    chat = visit("bob").open()
    page = chat.page
    look = chat.settings("Appearance")
    page.evaluate(WATCH)
    expect(page.locator("html")).to_have_css("transition-property", "none")  # less motion: else all elements turn at once, each by itself
    look.get_by_text("Dark", exact=True).click()
    expect(look.get_by_role("status")).to_have_text("")  # again, after two seconds
    assert page.evaluate("window.said") == "Saved"
    size = look.get_by_role("slider", name="Text size")
    size.press("ArrowRight")
    expect(size).to_have_attribute("aria-valuetext", "Large")
    chat.page.get_by_role("dialog", name="Settings").get_by_role("button", name="Chat", exact=True).click()
    chat.section("Chat").get_by_role("button", name="Ctrl Enter").click()
    routes: list[Route] = []
    page.route(SCRIPT, lambda route: routes.append(route))
    with page.expect_request(SCRIPT):  # one that is asked for later would stay held
        page.goto(chat.home, wait_until="commit")
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "dark")
    expect(root).to_have_attribute("data-text", "large")
    for route in routes:
        route.continue_()
    chat.composer.fill("one")
    chat.composer.press("Enter")
    expect(chat.composer).to_have_value("one\n")


def test_cost_and_ligatures_are_chosen_for_all_tabs(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Compare with `a != b`."))
    chat = visit("bob").open()
    chat.ask("How do I compare?")
    other = ChatPage(chat.context.new_page()).open(f"c/{chat.conversation_id}/")
    figures = other.answer.get_by_role("button", name="what this answer used")
    expect(figures).to_contain_text("tokens")
    code = other.answer.locator("code")
    expect(code).to_have_css("font-variant-ligatures", "none")
    look = chat.settings("Appearance")
    for name in ("Cost below answers", "Ligatures in code"):
        look.get_by_role("switch", name=name).click()
    expect(figures).not_to_contain_text("tokens")
    expect(figures).to_contain_text(re.compile(r"\d m?s"))
    expect(code).to_have_css("font-variant-ligatures", "normal")
    other.page.reload()
    expect(figures).not_to_contain_text("tokens")
    expect(code).to_have_css("font-variant-ligatures", "normal")
    for name in ("Cost below answers", "Ligatures in code"):
        look.get_by_role("switch", name=name).click()
    expect(figures).to_contain_text("tokens")
    expect(code).to_have_css("font-variant-ligatures", "none")


def test_a_device_is_signed_out_after_a_question_that_names_it(visit: Visit, browser: Browser, product: Product) -> None:
    with browser.new_context(base_url=product.url, user_agent=FIREFOX) as context:
        device = context.new_page()
        device.goto("/login/")
        sign_in(device, "vera@example.org")
        device.wait_for_url("/o/*/")
        chat = visit("vera").open()
        security = chat.settings("Security")
        row = security.get_by_role("listitem").filter(has_text="Firefox")
        row.get_by_role("button", name=re.compile("^Sign out")).press("Enter")
        question = chat.page.get_by_role("alertdialog", name=re.compile("^Sign out Firefox.*\\?$"))
        expect(question.get_by_role("button", name="Cancel")).to_be_focused()
        assert violations(chat.page) == []
        chat.page.keyboard.press("Escape")
        expect(row.get_by_role("button", name=re.compile("^Sign out"))).to_be_focused()
        chat.page.keyboard.press("Enter")
        question.get_by_role("button", name="Sign out").press("Enter")
        expect(row).to_have_count(0)
        expect(security.get_by_role("heading", name="Devices signed in")).to_be_focused()
        expect(device).to_have_url(re.compile("/login/"))


def test_on_a_phone_the_list_leads_to_a_section_and_back(visit: Visit) -> None:
    chat = visit("bob", phone=True).open()
    page = chat.page
    page.get_by_role("button", name="Show sidebar").click()
    chat.settings("Usage")
    dialog = page.get_by_role("dialog", name="Settings")
    expect(chat.section("Usage")).to_contain_text("Answers in")
    assert violations(page) == []
    page.go_back()
    expect(dialog.get_by_role("button", name="Appearance")).to_be_visible()
    expect(dialog.get_by_role("button", name="All settings")).to_be_hidden()
    assert violations(page) == []
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
