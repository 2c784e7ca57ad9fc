"""Assistants: an admin makes one, members choose it on the start page and by @, and are told when it is gone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from doubles.demo.pictures import chart
from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.layout import NOTE_MOVES, layout_shift, small_targets
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture
from tests.e2e.scripted_provider import ScriptedProvider


def make_assistant(page: Page, title: str) -> None:
    page.get_by_label("Name", exact=False).first.fill(title)
    page.locator("#id_description").fill("Tables in, charts out")
    page.locator("#id_prompt").fill("You are an analyst.")
    page.locator("#id_starter_1_title").fill("Plot our stock")
    page.locator("#id_starter_1_text").fill("Plot our stock over twelve weeks.")
    page.get_by_role("button", name="Save", exact=True).click()


def test_an_assistant_from_its_form_to_its_end(visit: Visit, model: ScriptedProvider) -> None:
    admin = visit().open("admin/admin_config/assistant/add/").page
    admin.locator("#id_new_picture").set_input_files({"name": "bars.png", "mimeType": "image/png", "buffer": chart()})
    make_assistant(admin, "Analyst")
    expect(admin.get_by_text("is live")).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("link", name="Analyst").first.click()
    expect(admin.locator("#id_prompt")).to_have_value("You are an analyst.")
    assert violations(admin) == []
    picture(admin, "assistant-admin-light")

    model.answer_chat(Text("It goes up."))
    model.answer_chat(Text("Still up."))
    chat = visit("bob").open()
    page, box = chat.page, chat.composer
    box.fill("A draft.")
    card = page.get_by_role("radio", name="Analyst")
    expect(card).to_contain_text("Tables in, charts out")
    expect(card.locator("img")).to_have_js_property("naturalWidth", 256)
    expect(page.get_by_role("radio", name="Parley")).to_be_checked()
    card.click()
    expect(card).to_be_checked()
    expect(box).to_have_value("A draft.")
    assert violations(page) == []
    box.fill("")
    page.reload()
    expect(page.get_by_role("radio", name="Analyst")).to_be_checked()
    page.get_by_role("list", name="Starters").get_by_role("button", name="Plot our stock").click()
    chat.rests()
    expect(page.get_by_text("It goes up.")).to_be_visible()
    expect(page.get_by_text("Analyst", exact=True).filter(visible=True)).to_have_count(2)  # above the answer, and in the composer

    page.reload()
    other_tab = page.context.new_page()
    other_tab.goto(page.url)
    expect(other_tab.get_by_role("button", name="Chat without Analyst")).to_be_visible()
    box.press_sequentially("@par")
    option = page.get_by_role("option", name="Parley")
    expect(option).to_have_attribute("aria-selected", "true")
    assert violations(page) == []
    box.press("Enter")
    expect(box).to_have_value("")
    expect(page.get_by_role("button", name="Chat without Analyst")).to_have_count(0)
    chat.ask("And now?")
    expect(other_tab.get_by_text("Still up.")).to_be_visible()
    expect(other_tab.get_by_role("button", name="Chat without Analyst")).to_have_count(0)

    box.press_sequentially("@ana")
    box.press("Tab")
    expect(page.get_by_role("button", name="Chat without Analyst")).to_be_visible()
    new_chat = visit("bob").open()
    new_chat.settings("Chat").get_by_role("combobox", name="Assistant for new chats").select_option("Analyst")
    new_chat.page.keyboard.press("Escape")
    expect(new_chat.page.get_by_role("radio", name="Analyst")).to_be_checked()
    new_chat.page.get_by_role("radio", name="Parley").click()
    new_chat.page.reload()
    expect(new_chat.page.get_by_role("radio", name="Parley")).to_be_checked()
    new_chat.page.evaluate("localStorage.clear()")
    new_chat.page.reload()
    expect(new_chat.page.get_by_role("radio", name="Analyst")).to_be_checked()
    model.answer_chat(Text("It rests."))
    new_chat.ask("And tonight?")
    expect(new_chat.page.get_by_role("button", name="Chat without Analyst")).to_be_visible()

    admin.locator("#id_is_offered").uncheck()
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("is live")).to_be_visible()
    box.fill("And in summer?")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Choose who should answer")
    expect(page.get_by_text("Assistant not available").filter(visible=True)).to_be_visible()
    assert violations(page) == []
    model.answer_chat(Text("Less."))
    page.get_by_role("button", name="Continue with Parley").click()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Less.")).to_be_visible()
    expect(chat.questions.last).to_contain_text("And in summer?")
    chat.rests()


def test_cards_and_list_in_dark_on_a_phone(visit: Visit) -> None:
    admin = visit().open("admin/admin_config/assistant/add/").page
    make_assistant(admin, "Writer")
    expect(admin.get_by_text("is live")).to_be_visible()
    chat = visit(dark=True, phone=True, fresh="a script of its own")
    chat.page.add_init_script(NOTE_MOVES)
    chat.open()
    card = chat.page.get_by_role("radio", name="Writer")
    expect(card).to_be_visible()
    assert layout_shift(chat.page) < 0.01
    assert small_targets(chat.page) == []
    card.click()
    expect(card).to_be_checked()
    assert violations(chat.page) == []
    chat.composer.press_sequentially("@")
    expect(chat.page.get_by_role("listbox", name="Assistants")).to_be_visible()
    assert violations(chat.page) == []
    chat.composer.press("Escape")
    expect(chat.page.get_by_role("listbox", name="Assistants")).to_have_count(0)
    expect(chat.composer).to_have_value("@")
    admin.get_by_role("link", name="Writer").first.click()  # other tests find the page without cards
    admin.locator("#id_is_offered").uncheck()
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("is live")).to_be_visible()
