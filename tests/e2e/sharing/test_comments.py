"""Comments on passages of a document stand beside its text, for all who write it."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.pages import Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider
from tests.e2e.sharing.share_dialog import share_to_edit

BRIEF = """\
# Freight brief

**Book January now.** Rates are back above September, and a peak surcharge of 90 per box starts on 4 January.

Two carriers dropped their Red Sea sailings in the first week of November. The detour adds nine days and about 210 per box.

| Valid in | EUR |
|----------|-----|
| October  | 1,085 |
| November | 1,420 |

Carriers need about six weeks to bring their ships back to the short route.
"""
ALIGNED_PX = 12  # a thread's card begins some pixels above its line


def select_words(text: Locator, words: str) -> None:
    """Select these words, which stand in one paragraph."""
    text.get_by_text(words).first.evaluate(
        """(element, words) => {
          const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.indexOf(words)
            if (at < 0) continue
            element.closest('[contenteditable]').focus()
            getSelection().setBaseAndExtent(node, at, node, at + words.length)
            return
          }
        }""",
        words,
    )


def comment_on(panel: Locator, words: str, comment: str) -> None:
    select_words(panel.get_by_role("textbox", name=re.compile(", text$")), words)
    panel.get_by_role("button", name="Comment", exact=True).first.click()
    draft = draft_on(panel, words)
    draft.get_by_label("Your comment").fill(comment)
    draft.get_by_role("button", name="Comment").click()
    expect(draft).to_have_count(0)


def draft_on(panel: Locator, words: str) -> Locator:
    return panel.get_by_role("article", name=f"New comment on “{words}”")


def refuses_too_long(draft: Locator) -> None:
    """A long text is kept whole, and says by how much it is too long."""
    field = draft.get_by_label("Your comment")
    field.fill("x" * 4012)
    expect(draft.get_by_text("12 characters too many")).to_be_visible()
    expect(draft.get_by_role("button", name="Comment")).to_be_disabled()
    field.press("Control+Enter")
    expect(field).to_have_value("x" * 4012)
    field.fill("x" * 4000)
    expect(draft.get_by_role("button", name="Comment")).to_be_enabled()
    field.fill("x" * 4001)
    expect(draft.get_by_text("1 character too many")).to_be_visible()


def thread(panel: Locator, words: str) -> Locator:
    return panel.get_by_role("article", name=re.compile(f"Comment by .* on “{re.escape(words)}"))


def resolved_thread(panel: Locator, words: str) -> Locator:
    return panel.get_by_role("article", name=re.compile(f"Resolved comment by .* on “{re.escape(words)}"))


def comment_mark(panel: Locator, words: str) -> Locator:
    return panel.locator(".comment-mark", has_text=words).first


def expect_at_its_line(panel: Locator, words: str) -> None:
    panel.page.wait_for_function(
        """([words, near]) => {
          const top = (element) => element?.getBoundingClientRect().top
          const card = [...document.querySelectorAll('article[data-thread]')].find((one) => one.ariaLabel.includes(words))
          const mark = [...document.querySelectorAll('.comment-mark')].find((one) => one.textContent.includes(words))
          return Math.abs(top(card) - top(mark)) <= near
        }""",
        arg=[words, ALIGNED_PX],
    )


def expect_apart(panel: Locator) -> None:
    """No thread overlaps another one."""
    panel.page.wait_for_function(
        """() => {
          const boxes = [...document.querySelectorAll('article[data-thread]')].map((card) => card.getBoundingClientRect())
          boxes.sort((a, b) => a.top - b.top)
          return boxes.every((box, index) => index === 0 || box.top >= boxes[index - 1].bottom)
        }"""
    )


def test_threads_stand_at_their_lines_and_give_way_to_the_active_one(visit: Visit, model: ScriptedProvider) -> None:
    model.creates_document("Brief", Text(BRIEF))
    chat = visit("bob").open()
    chat.page.set_viewport_size({"width": 1440, "height": 900})
    chat.ask("Write a brief.")
    url = share_to_edit(chat.page, query="ali", name="Alice")
    chat.page.keyboard.press("Escape")
    panel = chat.panel.root
    chat.panel.view("Write")
    panel.get_by_role("button", name="Full screen").click()
    comment_on(panel, "their Red Sea sailings", "Is that for dry boxes only?\nOur reefers from Kobe were at 380.")
    select_words(panel.get_by_role("textbox", name=re.compile(", text$")), "a peak surcharge")
    panel.get_by_role("button", name="Comment", exact=True).first.click()
    unsent = draft_on(panel, "a peak surcharge").get_by_label("Your comment")
    unsent.fill("Per box or per bill?")
    comment_on(panel, "six weeks", "Rather eight.")
    expect(unsent).to_have_value("Per box or per bill?")  # a draft stays with its passage
    refuses_too_long(draft_on(panel, "a peak surcharge"))
    shot(chat.page, "comments-too-long")
    draft_on(panel, "a peak surcharge").get_by_role("button", name="Cancel").click()
    comment_on(panel, "nine days", "Ten, says Meridian.")
    expect_at_its_line(panel, "nine days")
    expect_apart(panel)

    comment_mark(panel, "their Red Sea sailings").click()
    expect(thread(panel, "their Red Sea sailings")).to_have_attribute("aria-current", "true")
    expect_at_its_line(panel, "their Red Sea sailings")
    expect_apart(panel)
    assert violations_in_both_colours(chat.page) == []
    shot(chat.page, "comments-column")
    thread(panel, "nine days").focus()
    expect(panel.locator(".comment-mark-active")).to_have_text("nine days")
    expect_at_its_line(panel, "nine days")
    expect_apart(panel)
    chat.page.keyboard.press("Tab")
    chat.page.keyboard.press("Escape")
    expect(chat.panel.rich_text).to_be_focused()
    expect(panel.locator(".comment-mark-active")).to_have_count(0)
    chat.page.keyboard.press("Tab")
    expect(thread(panel, "their Red Sea sailings")).to_be_focused()
    expect(panel.locator(".comment-mark-active")).to_have_text("their Red Sea sailings")
    chat.page.keyboard.press("Escape")

    alice = visit("alice").page
    alice.goto(url)
    alice.get_by_role("link", name="Comment and edit").click()
    alice.get_by_role("button", name="Edit", exact=True).click()
    other = alice.get_by_role("complementary", name="Document: Brief")
    other.get_by_role("button", name="Write", exact=True).click()
    opener = other.get_by_role("button", name="Comment by Bob on “their Red Sea sailings”")  # in the margin: her panel is narrow
    opener.click()
    thread(other, "their Red Sea sailings").get_by_label("Reply").fill("Reefers, too.")
    assert violations(alice) == []
    shot(alice, "comments-margin")
    other.get_by_role("textbox", name="Brief, text").get_by_text("Carriers need").click(position={"x": 5, "y": 5})
    expect(thread(other, "their Red Sea sailings")).to_have_count(0)
    opener.click()
    expect(thread(other, "their Red Sea sailings").get_by_label("Reply")).to_have_value("Reefers, too.")  # it was not sent
    alice.reload()
    alice.get_by_role("button", name="Edit", exact=True).click()
    other.get_by_role("button", name="Write", exact=True).click()
    opener.click()
    expect(thread(other, "their Red Sea sailings").get_by_label("Reply")).to_have_value("Reefers, too.")
    reply_without_network(alice, thread(other, "their Red Sea sailings"), "Reefers, too.")
    expect(thread(panel, "their Red Sea sailings")).to_contain_text("Reefers, too.")
    expect(chat.page.get_by_text("Alice commented on")).to_have_count(0)  # he looks at it
    edit_own(thread(other, "their Red Sea sailings"), "Reefers, too.", "Reefers from Kobe, too.")
    expect(thread(panel, "their Red Sea sailings")).to_contain_text("just now, edited")

    other.get_by_role("textbox", name="Brief, text").get_by_text("Two carriers").click()
    alice.keyboard.press("Home")  # of a line in the middle of the paragraph
    alice.keyboard.insert_text("In short: ")
    expect(chat.panel.rich_text).to_contain_text("In short: ")
    expect(chat.panel.rich_text.locator('[data-writer="Alice"]')).to_have_count(1)
    expect(comment_mark(panel, "their Red Sea sailings")).to_have_text("their Red Sea sailings")  # the marks move with the text

    resolve_and_reopen(chat.page, panel, alice, other)
    phone_shot(visit, url)


def reply_without_network(page: Page, card: Locator, text: str) -> None:
    """What is written stays, with the reason, and is sent when it can be."""
    page.route("**/comments/", lambda route: route.abort())
    card.get_by_role("button", name="Reply").click()
    expect(card.get_by_role("alert")).to_contain_text("cannot be reached")
    expect(card.get_by_label("Reply")).to_have_value(text)
    page.unroute("**/comments/")
    card.get_by_label("Reply").press("Control+Enter")
    expect(card.get_by_label("Reply")).to_have_value("")
    expect(card.get_by_role("alert")).to_have_count(0)


def edit_own(card: Locator, before: str, after: str) -> None:
    card.get_by_role("button", name="Edit the comment").click()
    field = card.get_by_label("Your comment")
    expect(field).to_be_focused()
    expect(field).to_have_value(before)
    field.fill(after)
    card.get_by_role("button", name="Save").click()
    expect(card.get_by_text(after)).to_be_visible()
    expect(field).to_have_count(0)


def resolve_and_reopen(page: Page, panel: Locator, alice: Page, other: Locator) -> None:
    """Resolved threads are out of the way, shown on demand, and come back for everyone."""
    expect(panel.get_by_role("button", name="Resolved (")).to_have_count(0)
    for words in ("nine days", "six weeks"):
        comment_mark(panel, words).click()
        thread(panel, words).get_by_role("button", name="Resolve").click()
        expect(thread(panel, words)).to_have_count(0)
        expect(panel.locator(".comment-mark", has_text=words)).to_have_count(0)
    for window in (panel, other):
        expect(comment_mark(window, "their Red Sea sailings")).to_be_visible()
    panel.get_by_text("Carriers need").click(click_count=3)
    page.keyboard.press("Delete")

    toggle = panel.get_by_role("button", name="Resolved (2)")
    toggle.focus()
    page.keyboard.press("Space")
    expect(toggle).to_have_attribute("aria-pressed", "true")
    expect(toggle).to_be_focused()
    expect(resolved_thread(panel, "nine days")).to_contain_text("Resolved by Bob, just now")
    expect(resolved_thread(panel, "six weeks").get_by_text("six weeks", exact=True)).to_be_visible()  # the text has these words no more
    expect_apart(panel)
    assert violations_in_both_colours(page) == []
    shot(page, "comments-resolved")
    resolved_thread(panel, "six weeks").get_by_role("button", name="Reopen").click()
    expect(thread(panel, "six weeks")).to_be_focused()
    expect(panel.get_by_role("button", name="Resolved (1)")).to_have_attribute("aria-pressed", "true")
    other.get_by_role("button", name="Comment by Bob on “six weeks”").click()
    thread(other, "six weeks").get_by_label("Reply").fill("Eight?")
    thread(panel, "six weeks").get_by_role("button", name="Delete the comment").click()
    expect(thread(panel, "six weeks")).to_have_count(0)
    expect(panel.get_by_role("textbox", name="Brief, text")).to_be_focused()

    expect(alice.get_by_text("The comment that you were answering was deleted.")).to_be_visible()
    expect(alice.get_by_role("button", name="Copy your reply")).to_be_visible()
    other.get_by_role("button", name="Resolved (1)").click()
    other.get_by_role("button", name="Resolved comment by Bob on “nine days”").click()
    assert violations(alice) == []
    shot(alice, "comments-resolved-margin")
    resolved_thread(other, "nine days").get_by_role("button", name="Reopen").click()
    for window in (panel, other):
        expect(comment_mark(window, "nine days")).to_be_visible()
        expect(window.get_by_role("button", name="Resolved (")).to_have_count(0)
    thread(other, "nine days").get_by_role("button", name="Resolve").click()
    expect(panel.get_by_role("button", name="Resolved (1)")).to_be_visible()


def phone_shot(visit: Visit, url: str) -> None:
    phone: Page = visit("alice", dark=True, phone=True).page
    phone.goto(url)
    phone.get_by_role("link", name="Comment and edit").click()
    phone.get_by_role("button", name="Edit", exact=True).click()
    sheet = phone.get_by_role("dialog", name="Brief")
    sheet.get_by_role("button", name="Write", exact=True).click()
    sheet.get_by_role("button", name="Comment by Bob on “their Red Sea sailings”").click()
    expect(sheet.get_by_role("article")).to_contain_text("Reefers from Kobe, too.")
    assert violations(phone) == []
    shot(phone, "comments-phone")
    sheet.get_by_role("article").get_by_label("Reply").press("Escape")
    expect(sheet.get_by_role("article")).to_have_count(0)
    expect(sheet.get_by_role("textbox", name="Brief, text")).to_be_focused()
    sheet.get_by_role("button", name="Resolved (1)").tap()
    sheet.get_by_role("button", name="Resolved comment by Bob on “nine days”").tap()
    expect(sheet.get_by_role("article")).to_contain_text("Resolved by Alice")
    assert violations(phone) == []
    shot(phone, "comments-resolved-phone")
