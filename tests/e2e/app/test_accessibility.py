"""No screen violates WCAG 2.2 AA, light or dark, and the phone has the whole chat."""

from __future__ import annotations

from typing import Final, Literal

import pytest
from playwright.sync_api import Page, expect

from doubles.script import Text, Thought
from doubles.signals import Gate
from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.layout import is_too_wide, small_targets
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider, title_of
from tests.support.system.product import wait_for

ANSWER_DIALOGS: Final[tuple[tuple[str, Literal["dialog", "alertdialog"], str], ...]] = (
    ("Share", "dialog", "Share this conversation"),
    ("Delete answer", "alertdialog", "Delete this answer?"),
    ("Bad answer", "dialog", "What was wrong?"),
)
RICH = """\
# Tea

A [link](https://example.org/), **bold**, `code`, and a formula $a^2$.

| Kind | Colour |
|------|--------|
| Sencha | green |

- [x] done
- one

> A quotation.

```python
print("tea")  # hot
```
"""


def test_the_sign_in_page_violates_no_rule(visit: Visit) -> None:
    page = visit(None).page
    page.goto("/login/")
    assert violations_in_both_colours(page) == []


def test_what_is_wrong_beside_a_navigation_that_was_looked_at_is_found(visit: Visit) -> None:
    page = visit("alice").page
    page.goto("/o/acme/admin/tenants/membergroup/")
    assert violations(page) == []
    page.evaluate("document.querySelector('main, #content').append(new Image(), document.createElement('nav'))")
    page.evaluate("document.querySelector('#content img, main img:not([alt])').src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='")
    rules = [rule.partition(":")[0] for rule in violations(page)]
    assert {"image-alt", "landmark-unique"} <= {*rules}


def test_the_chat_and_the_panel_violate_no_rule(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    expect(chat.composer).to_be_visible()
    assert violations_in_both_colours(chat.page) == []

    chat.thinking.click()
    model.answer_chat(Thought("They like tea."), Text(RICH))
    chat.ask("What is tea?")
    expect(chat.answer.locator(".katex")).to_be_visible()
    expect(chat.answer.locator("pre span").first).to_be_visible()
    assert violations_in_both_colours(chat.page) == []

    model.creates_document("Tea", Text(RICH))
    chat.ask("Write a document about tea.")
    chat.panel.shows_version(1, of=1)
    assert violations_in_both_colours(chat.page) == []
    model.updates_document(chat.artifact_ids[0], Text(RICH.replace("green", "grey")))
    chat.ask("Sencha is grey.")
    chat.panel.shows_version(2, of=2)
    chat.panel.view("Diff")
    expect(chat.panel.root.get_by_role("deletion").first).to_be_visible()
    assert violations_in_both_colours(chat.page) == []
    chat.panel.view("Markdown")
    expect(chat.panel.root.get_by_role("textbox", name="Tea, source")).to_be_visible()
    assert violations_in_both_colours(chat.page) == []


def with_document_on_a_phone(visit: Visit, model: ScriptedProvider) -> ChatPage:
    model.creates_document("Tea", Text("# Tea\n\nIt comes from China.\n"))
    chat = visit(phone=True).open()
    chat.composer.fill("Write a document on a phone.")
    chat.send_button.tap()
    expect(chat.answer).to_contain_text("It is written.")
    chat.rests()
    return chat


def test_on_a_phone_the_list_is_a_drawer_and_a_document_opens_from_its_chip_only(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document_on_a_phone(visit, model)
    expect(chat.panel.root).to_have_count(0)
    assert violations(chat.page) == []
    assert small_targets(chat.page) == []
    assert chat.composer.evaluate("box => parseFloat(getComputedStyle(box).fontSize)") >= 16  # iOS zooms into smaller letters

    chat.chip("Tea").tap()
    expect(chat.panel.text).to_contain_text("It comes from China.")
    assert violations(chat.page) == []
    chat.panel.close.tap()
    expect(chat.panel.root).to_have_count(0)
    expect(chat.chip("Tea")).to_be_focused()

    expect(chat.sidebar).to_have_count(0)
    show = chat.page.get_by_role("button", name="Show sidebar")
    show.tap()
    expect(chat.row(title_of("Write a document on a phone."))).to_be_visible()
    assert violations(chat.page) == []
    chat.page.keyboard.press("Escape")
    expect(chat.sidebar).to_have_count(0)
    expect(show).to_be_focused()
    show.tap()
    expect(chat.sidebar).to_be_visible()
    narrow = chat.page.viewport_size
    assert narrow
    chat.page.set_viewport_size({"width": 1000, "height": narrow["height"]})
    expect(chat.page.get_by_role("dialog")).to_have_count(0)
    expect(chat.sidebar).to_be_visible()  # beside the page
    chat.page.set_viewport_size(narrow)
    expect(chat.sidebar).to_have_count(0)
    chat.page.get_by_role("button", name="Show sidebar").tap()
    chat.sidebar.get_by_role("button", name="New chat").tap()
    expect(chat.sidebar).to_have_count(0)
    expect(chat.answers).to_have_count(0)
    show.tap()
    chat.sidebar.get_by_role("button", name="New project").tap()
    chat.page.get_by_role("textbox", name="Name").fill("Phones")
    chat.page.get_by_role("button", name="Create", exact=True).tap()
    expect(chat.page.get_by_role("heading", name="Phones")).to_be_visible()
    expect(chat.sidebar).to_have_count(0)
    chat.page.keyboard.press("Control+k")
    filters = chat.page.get_by_role("group", name="Filters")
    expect(filters).to_be_visible()
    assert small_targets(chat.page) == []
    chat.page.keyboard.press("Escape")
    expect(filters).to_have_count(0)
    show.tap()
    expect(chat.settings("Profile").get_by_role("link", name="Change")).to_be_visible()
    assert small_targets(chat.page) == []


@pytest.mark.parametrize("width", [320, 390])
def test_nothing_stands_beyond_the_edge_of_a_small_phone(visit: Visit, model: ScriptedProvider, width: int) -> None:
    chat = with_document_on_a_phone(visit, model)
    chat.page.set_viewport_size({"width": width, "height": 844})
    assert not is_too_wide(chat.page)
    expect(chat.page.get_by_role("button", name="Model: ")).to_be_visible()
    assert not [target for target in small_targets(chat.page) if target.startswith("Model")]
    gate = Gate()
    model.answer_chat(gate, Text("It grows there, too."))
    chat.composer.fill("And in India?")
    chat.send_button.tap()
    chat.streams()
    expect(chat.stop_button).to_be_in_viewport(ratio=1)
    assert not is_too_wide(chat.page)
    chat.composer.fill("Assam, I mean.")
    expect(chat.send_button).to_be_in_viewport(ratio=1)
    expect(chat.stop_button).to_be_in_viewport(ratio=1)
    assert not is_too_wide(chat.page)
    chat.composer.fill("")
    gate.release()
    chat.rests()
    chat.context.set_offline(True)
    expect(chat.page.get_by_text("Offline")).to_be_visible()
    assert not is_too_wide(chat.page)
    chat.context.set_offline(False)
    chat.open()
    expect(chat.composer).to_be_visible()
    assert not is_too_wide(chat.page)


def test_on_a_phone_back_closes_the_document_and_stays_in_the_conversation(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document_on_a_phone(visit, model)
    address = chat.page.url
    chat.chip("Tea").tap()
    expect(chat.panel.text).to_contain_text("It comes from China.")
    chat.page.go_back()
    expect(chat.panel.root).to_have_count(0)
    assert chat.page.url == address
    expect(chat.answer).to_contain_text("It is written.")
    chat.chip("Tea").tap()
    chat.panel.close.tap()
    expect(chat.panel.root).to_have_count(0)
    chat.page.go_back()
    expect(chat.answers).to_have_count(0)


def test_on_a_phone_a_document_that_the_address_names_can_be_closed(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document_on_a_phone(visit, model)
    address = f"c/{chat.conversation_id}/#d-{chat.artifact_ids[0]}"
    for close in (chat.panel.close.tap, chat.page.go_back):
        chat.open().open(address)
        expect(chat.panel.text).to_contain_text("It comes from China.")
        wait_for(lambda: chat.page.evaluate("history.state?.sheet"), "the sheet has an entry of the history")
        close()
        wait_for(lambda: not chat.page.evaluate("history.state?.sheet"), "it is left")
        expect(chat.panel.root).to_have_count(0)
        expect(chat.answer).to_contain_text("It is written.")
        expect(chat.panel.root).to_have_count(0)


def test_motion_ends_within_150_ms_and_stands_still_where_people_ask_for_it(visit: Visit) -> None:
    chat = visit().open()
    expect(chat.composer).to_be_focused()
    chat.page.keyboard.press("Control+k")
    expect(chat.page.get_by_role("dialog", name="Search")).to_be_visible()
    assert longest_motion_s(chat.page) <= 0.0001
    chat.page.emulate_media(reduced_motion="no-preference")
    assert 0 < longest_motion_s(chat.page) <= 0.15


def longest_motion_s(page: Page) -> float:
    """The longest transition or animation of anything on the page, without what shows that something is awaited."""
    longest: float = page.evaluate("""() => Math.max(...[...document.querySelectorAll('*')].flatMap((element) => {
        const style = getComputedStyle(element)
        const isEndless = style.animationIterationCount === 'infinite'
        return `${style.transitionDuration}, ${isEndless ? '0s' : style.animationDuration}`.split(', ').map(parseFloat)
    }))""")
    return longest


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True)], ids=["light-desktop", "dark-phone"])
def test_no_dialog_violates_a_rule(visit: Visit, model: ScriptedProvider, *, dark: bool, phone: bool) -> None:
    """Those that no other test looks at in these colours on this screen. Each gives the focus back when Escape closes it."""
    model.answer_chat(Text(RICH))
    chat = visit(dark=dark, phone=phone).open()
    page = chat.page
    chat.composer.fill("What is tea?")
    chat.send_button.click()
    expect(chat.answer.locator("pre span").first).to_be_visible()
    chat.rests()
    search = page.get_by_role("dialog", name="Search")
    page.keyboard.press("Control+k")
    page.keyboard.type("tea")
    expect(search.get_by_role("option").first).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(search).to_have_count(0)
    for button, role, name in ANSWER_DIALOGS:
        opener = page.get_by_role("button", name=button, exact=True)
        opener.click()
        dialog = page.get_by_role(role, name=name)
        expect(dialog).to_be_visible()
        assert violations(page) == [], name
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(opener).to_be_focused()
