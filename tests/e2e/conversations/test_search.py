"""The search over all chats, and opening one at a message."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from doubles.script import Text
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import wait_for


def chat_with_answers(visit: Visit, model: ScriptedProvider, question: str, *answers: str) -> ChatPage:
    """A chat that can be searched, with a question of the same words for each answer."""
    chat = visit().open()
    for number, answer in enumerate(answers):
        model.answer_chat(Text(answer))
        chat.ask(question if number == 0 else f"More, number {number}")
    return chat


def wait_until_indexed(chat: ChatPage, word: str) -> None:
    wait_for(lambda: any(hit["messageId"] for hit in chat.api(f"search/?q={word}")["items"]), f"a message with {word} is found", poll_s=0.5)


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Search")


def field(page: Page) -> Locator:
    return dialog(page).get_by_role("combobox", name="Search your chats")


def active(page: Page) -> Locator:
    return dialog(page).get_by_role("option", selected=True)


def test_a_message_is_found_and_opened_by_keyboard_alone(visit: Visit, model: ScriptedProvider) -> None:
    filler = "\n\n".join(f"Paragraph {number} about nothing much." for number in range(40))
    chat = chat_with_answers(visit, model, "Where is the Quokka?", "On Rottnest, with the wombatine cousins.", filler, filler)
    chat_id = chat.conversation_id
    wait_until_indexed(chat, "wombatine")
    chat.page.keyboard.press("Control+Shift+O")
    expect(chat.composer).to_be_focused()
    keyboard = chat.page.keyboard
    keyboard.press("Control+k")
    expect(field(chat.page)).to_be_focused()
    keyboard.type("wombat rottn")
    expect(active(chat.page).locator("mark")).to_have_text(["Rottn", "wombat"])
    expect(field(chat.page)).to_have_attribute("aria-activedescendant", re.compile("^search-"))
    keyboard.press("ArrowDown")
    expect(active(chat.page)).to_have_text("Start a new chat with “wombat rottn”")
    keyboard.press("ArrowUp")
    keyboard.press("Enter")
    expect(dialog(chat.page)).to_have_count(0)
    expect(chat.page).to_have_url(re.compile(rf"/c/{chat_id}/#m-"))
    answer = chat.answers.filter(has_text="wombatine")
    expect(answer).to_be_in_viewport()
    expect(chat.page.get_by_role("region", name="Messages")).to_be_focused()
    chat.page.reload()
    expect(answer).to_be_in_viewport()


def test_a_document_is_found_by_its_text_and_opened_by_keyboard_alone(visit: Visit, model: ScriptedProvider) -> None:
    model.creates_document("Import checklist", Text("# Steps\n\nAsk the broker for the bandicootish certificate.\n"))
    chat = visit().open()
    chat.ask("Write a checklist.")
    chat_id = chat.conversation_id
    wait_for(lambda: chat.api("search/?q=bandicootish")["items"], "the document is found", poll_s=0.5)
    keyboard = chat.page.keyboard
    keyboard.press("Control+Shift+O")
    expect(chat.composer).to_be_focused()
    keyboard.press("Control+k")
    expect(field(chat.page)).to_be_focused()
    keyboard.type("bandicotish")
    expect(dialog(chat.page).get_by_role("group", name="In messages and documents")).to_be_visible()
    expect(active(chat.page)).to_contain_text("Import checklist")
    expect(active(chat.page)).to_contain_text("Document Steps Ask the broker for the bandicootish certificate.")
    expect(active(chat.page).locator("mark")).to_have_text(["bandicootish"])
    keyboard.press("Enter")
    expect(dialog(chat.page)).to_have_count(0)
    expect(chat.page).to_have_url(re.compile(rf"/c/{chat_id}/#d-"))
    expect(chat.panel.text).to_contain_text("the bandicootish certificate")
    expect(chat.panel.root).to_be_focused()
    chat.page.reload()
    expect(chat.panel.text).to_contain_text("the bandicootish certificate")


def test_an_address_of_a_document_that_is_gone_opens_its_chat_and_says_so(visit: Visit, model: ScriptedProvider) -> None:
    chat = chat_with_answers(visit, model, "Which meadow?", "The green one.")
    address = f"c/{chat.conversation_id}/#d-00000000-0000-4000-8000-00000000dead"
    chat.open().open(address)
    expect(chat.page.get_by_text("This does not exist, or you have no access to it.")).to_be_visible()
    expect(chat.panel.root).to_have_count(0)
    expect(chat.answer).to_contain_text("The green one.")


def test_filters_and_typing_errors_and_nothing_for_another_organization(visit: Visit, model: ScriptedProvider) -> None:
    chat = chat_with_answers(visit, model, "Which orchard?", "The quincelike one.")
    wait_until_indexed(chat, "quincelike")
    result = dialog(chat.page).get_by_role("option").filter(has_text="The quincelike one.")
    chat.page.keyboard.press("Control+k")
    field(chat.page).fill("quincelkie")
    expect(result).to_be_visible()
    expect(dialog(chat.page)).to_contain_text("No exact match. Showing results for “quincelike”.")
    dialog(chat.page).get_by_role("button", name="Has a document").click()
    expect(dialog(chat.page)).to_contain_text("Nothing found for “quincelkie”")
    dialog(chat.page).get_by_role("button", name="Clear filters").click()
    expect(result).to_be_visible()
    dialog(chat.page).get_by_role("button", name="Any time").click()
    chat.page.get_by_role("menuitem", name="Last 7 days").click()
    expect(dialog(chat.page).get_by_role("button", name="Last 7 days")).to_be_visible()
    expect(result).to_be_visible()
    dialog(chat.page).get_by_role("button", name="Any time").click()  # takes the filter off
    expect(dialog(chat.page).get_by_role("button", name="Last 7 days")).to_have_count(0)
    expect(field(chat.page)).to_be_focused()
    dialog(chat.page).get_by_role("button", name="Any assistant").click()
    chat.page.get_by_role("menuitem", name="Documents").click()
    expect(dialog(chat.page)).to_contain_text("Nothing found for “quincelkie”")
    stranger = visit("charlie", organization="other").open()
    stranger.composer.focus()  # the page is there and takes keys
    stranger.page.keyboard.press("Control+k")
    field(stranger.page).fill("quincelike")
    expect(dialog(stranger.page)).to_contain_text("Nothing found for “quincelike”")


def test_escape_gives_the_focus_back_and_nothing_found_says_so(visit: Visit) -> None:
    chat = visit().open()
    chat.composer.focus()
    chat.page.keyboard.press("Control+k")
    expect(field(chat.page)).to_be_focused()
    chat.page.keyboard.type("xyzzyplugh")
    expect(dialog(chat.page)).to_contain_text("Nothing found for “xyzzyplugh”")
    chat.page.keyboard.press("Escape")
    expect(dialog(chat.page)).to_have_count(0)
    expect(chat.composer).to_be_focused()
    chat.sidebar.get_by_role("button", name="Search").click()
    field(chat.page).fill("xyzzyplugh")
    chat.page.keyboard.press("Enter")
    expect(chat.composer).to_have_value("xyzzyplugh")


def test_archived_chats_are_searched_on_demand(visit: Visit, model: ScriptedProvider) -> None:
    chat = chat_with_answers(visit, model, "Which melon?", "The cantaloupish one.")
    wait_until_indexed(chat, "cantaloupish")
    title = chat.conversation["title"]
    chat.options(title, "Archive")
    expect(chat.row(title)).to_have_count(0)
    chat.page.keyboard.press("Control+k")
    field(chat.page).fill("cantaloupish")
    expect(dialog(chat.page)).to_contain_text("Nothing found for “cantaloupish”")
    dialog(chat.page).get_by_role("button", name="Search archived chats, too").click()
    result = dialog(chat.page).get_by_role("option").filter(has_text="The cantaloupish one.")
    expect(result).to_contain_text("Archived")
    expect(dialog(chat.page).get_by_role("button", name="Archived too")).to_have_attribute("aria-pressed", "true")


def test_a_message_of_another_branch_is_announced_and_not_switched_to(visit: Visit, model: ScriptedProvider) -> None:
    chat = chat_with_answers(visit, model, "Which bird?", "The kookaburrine one.")
    wait_until_indexed(chat, "kookaburrine")
    model.answer_chat(Text("The other one."))
    chat.answer.get_by_role("button", name="Regenerate").click()
    expect(chat.answer).to_contain_text("The other one.")
    chat.rests()
    chat.page.keyboard.press("Control+k")
    field(chat.page).fill("kookaburrine")
    dialog(chat.page).get_by_role("option").filter(has_text="kookaburrine one").click()
    expect(chat.page.get_by_text("This message is in another version of the chat.")).to_be_visible()
    expect(chat.answer).to_contain_text("The other one.")
    chat.page.get_by_role("button", name="Show it").click()
    expect(chat.answer).to_contain_text("The kookaburrine one.")
    expect(chat.page.get_by_text("This message is in another version of the chat.")).to_have_count(0)
