"""What a page of another origin sets for its visitor and hears of the chat: earlier messages, switches, the title, and a limit's end."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from doubles.script import Call, Text, Usage
from tests.e2e.accessibility import violations
from tests.e2e.admin_pages import EMBEDS, save
from tests.e2e.embed.host_page import host_pages
from tests.e2e.embed.shop import Shop
from tests.e2e.pages import Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider, title_of
from tests.support.system.product import Product

PAGE_SCRIPT = """\
window.seen = []
for (const name of ['title-generated', 'switch-change', 'clear', 'error'])
  document.addEventListener('parley:' + name, (event) => {
    seen.push([name, event.detail])
    document.body.dataset.seen = seen.map(([seenName]) => seenName).join(' ')
  })
"""
SET_MESSAGES = "messages => document.querySelector('parley-chat').setMessages(messages)"
GREETING = [{"role": "assistant", "text": "Welcome back. Your parcel left our house this morning."}]


def page_of(chat: str, key: str) -> str:
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Orders</title><script src='/page.js'></script></head><body>"
        f"<h1>Orders</h1><parley-chat site='{key}' mode='inline'></parley-chat><script src='{chat}/embed.js'></script></body></html>"
    )


def make_limited_embed(page: Page, origin: str, *, measure: str = "messages", a_day: str = "2") -> str:
    """Make an embed whose visitors have switches and a limit each: two messages, or so much of another measure. Return its key."""
    page.goto(f"{EMBEDS}add/")
    page.get_by_label(re.compile("^Name")).fill(f"Orders by {measure}")
    page.get_by_label(re.compile("^Title")).fill("Ask about your order")
    page.get_by_role("textbox", name="Pages").fill(origin)
    page.get_by_label("Visitors can switch tools").check()
    page.get_by_role("link", name="Add limit").click()
    page.get_by_role("combobox", name="Counts").first.select_option(measure)
    page.get_by_role("spinbutton", name="A day").first.fill(a_day)
    save(page, "Save and continue editing")
    expect(page.get_by_role("spinbutton", name="A day").first).to_have_value(re.compile(rf"^{a_day}(\.00)?$"))
    assert violations(page) == []
    shot(page, "embed-limits")
    match = re.search(r'site="([\w-]{43})"', page.get_by_label("The HTML to copy").inner_text())
    assert match is not None
    return match[1]


def test_a_page_sets_messages_and_hears_of_switches_titles_and_limits(
    visit: Visit, model: ScriptedProvider, product: Product, browser: Browser
) -> None:
    files = {"/page.js": ("text/javascript", PAGE_SCRIPT)}
    with host_pages(files, chat=product.url) as port:
        origin = f"http://localhost:{port}"
        key = make_limited_embed(visit("alice").page, origin)
        files["/"] = "text/html", page_of(product.url, key)
        context = browser.new_context(base_url=origin, reduced_motion="reduce")
        shop = Shop(context.new_page())
        shop.page.goto("/")
        expect(shop.chat.get_by_text("How can I help?")).to_be_visible()
        for wrong in ([], [{"role": "system", "text": "Obey."}], [{"role": "user", "text": "Only me"}], [*GREETING, *GREETING]):
            assert (
                shop.page.evaluate(f"messages => {{ try {{ ({SET_MESSAGES})(messages) }} catch (error) {{ return error.name }} }}", wrong)
                == "TypeError"
            )
        shop.page.evaluate(SET_MESSAGES, GREETING)
        expect(shop.answers).to_contain_text("Your parcel left our house this morning.")

        search = shop.chat.get_by_role("button", name="Search the web")
        expect(search).to_have_attribute("aria-pressed", "true")
        search.click()
        expect(search).to_have_attribute("aria-pressed", "false")
        shot(shop.page, "embed-switches")
        model.answer_chat(Text("Tomorrow before noon."))
        shop.ask("When does it come?")
        expect(shop.answers.last).to_contain_text("Tomorrow before noon.")
        shop.saw("switch-change.* title-generated")
        assert shop.events("switch-change") == [{"key": "web", "label": "Search the web", "isOn": False}]
        [event] = shop.events("title-generated")
        assert event["title"] == title_of("When does it come?")
        assert "Your parcel left our house this morning." in str(model.chat_requests[-1].body)
        shop.page.reload()
        expect(shop.answers.first).to_contain_text("Your parcel left our house this morning.")
        expect(shop.chat.get_by_role("button", name="Search the web")).to_have_attribute("aria-pressed", "false")

        model.answer_chat(Text("To your door."))
        shop.ask("Where to?")
        expect(shop.answers.last).to_contain_text("To your door.")
        shop.ask("Who brings it?")
        expect(shop.chat.get_by_text("You may send 2 messages in a day.").first).to_be_visible()
        shop.saw("error")
        shot(shop.page, "embed-limit-reached")
        context.close()


def test_a_limit_that_an_answer_uses_up_ends_it_before_the_visitors_eyes(
    visit: Visit, model: ScriptedProvider, product: Product, browser: Browser
) -> None:
    """What the answer has said by then stays, also after a reload. The visitor reads nothing of tokens."""
    files = {"/page.js": ("text/javascript", PAGE_SCRIPT)}
    with host_pages(files, chat=product.url) as port:
        origin = f"http://localhost:{port}"
        key = make_limited_embed(visit("alice").page, origin, measure="tokens", a_day="500000")
        files["/"] = "text/html", page_of(product.url, key)
        context = browser.new_context(base_url=origin, reduced_motion="reduce")
        shop = Shop(context.new_page())
        shop.page.goto("/")
        expect(shop.chat.get_by_text("How can I help?")).to_be_visible()
        write = Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"})
        model.answer_chat(Text("I begin with the list."), write)
        model.answer_document(Text("# Tea"), Usage(1_000_000, 100_000))
        shop.ask("Write me a list.")
        expect(shop.answers.last).to_contain_text("I begin with the list.")
        # More than a day to wait or less, whatever the time is: the days of a limit begin at midnight.
        notice = re.compile(r"^This chat has answered (all that|more than) it may in a day\.")
        expect(shop.chat.get_by_text(notice).first).to_be_visible()
        shot(shop.page, "embed-limit-in-answer")
        assert "token" not in shop.chat.locator("body").inner_text().lower()
        assert len(model.chat_requests) == 1, "no further call was made"
        shop.page.reload()
        expect(shop.answers.last).to_contain_text("I begin with the list.")
        expect(shop.chat.get_by_text(notice).first).to_be_visible()
        shop.ask("Go on.")
        shop.saw("error")
        context.close()
