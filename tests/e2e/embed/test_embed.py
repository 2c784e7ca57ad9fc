"""A chat embedded in somebody else's page: an admin makes it, visitors use it, and pages that may not show it get nothing."""

from __future__ import annotations

import json
import re
import time
from typing import Any
from urllib.parse import urlsplit

import jwt
from playwright.sync_api import Browser, BrowserContext, expect

from doubles.script import Call, Fault, Finish, Text
from doubles.signals import Gate
from tests.e2e.accessibility import violations
from tests.e2e.admin_pages import EMBEDS
from tests.e2e.browser import PageProblems
from tests.e2e.embed.host_page import host_pages
from tests.e2e.embed.shop import BEFORE_SCRIPT, SHOP_SCRIPT, SHOP_STYLE, Shop, chat_of, shop
from tests.e2e.pages import Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import Product

# Another chat, as an application adds it that draws its pages itself; and words that pretend to come from a frame or from the page.
AGAIN = """key => {
  const chat = document.body.appendChild(document.createElement('parley-chat'))
  chat.id = 'again'
  chat.setAttribute('site', key)
  chat.open()
}"""
FORGE_MESSAGE = """() => {
  window.forged = [...Array(frames.length)]  // a frame in a closed shadow root is not among them: no script of the page reaches it
  window.onmessage = (event) => event.ports.length && forged.push('a port')
  window.postMessage('parley:ready', '*')
}"""
HOSTILE_SCRIPT = """\
window.got = []
addEventListener('message', (event) => got.push(String(event.data)))
const frame = document.createElement('iframe')
frame.src = document.currentScript.dataset.chat
frame.addEventListener('load', () => {
  const channel = new MessageChannel()
  channel.port1.onmessage = (event) => got.push(JSON.stringify(event.data))
  frame.contentWindow.postMessage('parley:connect', '*', [channel.port2])
  document.body.dataset.tried = 'yes'
})
document.body.append(frame)
"""


def make_embed(visit: Visit, origin: str) -> tuple[str, str]:
    """Make an embed as an admin does. Return its key and secret."""
    page = visit("alice").page
    page.goto(f"{EMBEDS}add/")
    page.get_by_label(re.compile("^Name")).fill("Shop")
    page.get_by_label(re.compile("^Title")).fill("Ask Kettle & Leaf")
    page.get_by_label("Subtitle").fill("AI assistant · a person answers from 9 to 17")
    page.get_by_role("textbox", name="Pages").fill("http://shop.example")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#id_origins_error")).to_contain_text("does not begin with https://")
    page.get_by_role("textbox", name="Pages").fill(origin)
    page.get_by_label("Suggestions").fill("Which pot fits?\nWhich one is sweetest?")
    page.get_by_label("Message box").fill("Ask about a tea")
    page.get_by_role("button", name="Save and continue editing").click()
    snippet = page.get_by_label("The HTML to copy").inner_text()
    assert violations(page) == []
    shot(page, "admin")
    page.get_by_label("The HTML to copy").scroll_into_view_if_needed()
    shot(page, "admin-snippet")
    page.get_by_role("button", name="Create a new secret").click()
    secret = page.get_by_label("Secret", exact=True).input_value()
    assert violations(page) == []
    shot(page, "admin-secret")
    match = re.search(r'site="([\w-]{43})"', snippet)
    assert match is not None
    page.get_by_role("link", name="Back to Shop").click()
    page.get_by_role("link", name="Preview").click()
    expect(chat_of(page).get_by_role("heading", name="Ask Kettle & Leaf")).to_be_visible()
    shot(page, "admin-preview")
    return match[1], secret


def call_method(window: Shop, name: str) -> None:
    window.page.evaluate("name => document.querySelector('parley-chat')[name]()", name)


def check_events_of_a_talk(window: Shop, model: ScriptedProvider) -> None:
    """A new visitor's talk, in which the page and the visitor do what the chat tells the page."""
    gate = Gate()
    model.answer_chat(Text("A small"), gate, Text(" pot."))
    window.chat.get_by_role("button", name="Which pot fits?").click()
    expect(window.answers).to_contain_text("A small")
    call_method(window, "stop")
    window.saw("suggestion-click .*user-message .*stop .*message-complete")
    gate.release()
    assert window.events("suggestion-click") == [{"text": "Which pot fits?"}]
    expect(window.chat.get_by_text("Stopped. What was written so far is kept.")).to_be_visible()
    assert window.events("data-part")[-1]["type"] == "data-notice"
    shot(window.page, "drawer-stopped")

    model.answer_chat(Fault.status(400))
    call_method(window, "regenerate")
    window.saw("stop .*regenerate .*message-complete")

    model.answer_chat(Text("\n\n".join(f"Pot {number}" for number in range(1, 60))))
    question = window.chat.get_by_role("article", name="You")
    question.hover()
    question.get_by_role("button", name="Edit and send again").click()
    editor = window.chat.get_by_role("textbox", name="Edit message")
    editor.fill("Which pots fit?")
    editor.press("Enter")
    window.saw("regenerate .*before-send edit user-message .*message-complete")
    assert window.events("edit")[-1]["text"] == "Which pots fit?"
    assert [event["ended"] for event in window.events("message-complete")] == ["stopped", "failed", "complete"]

    last = window.answers.get_by_text("Pot 59", exact=True)
    expect(last).to_be_in_viewport()
    window.chat.get_by_role("region", name="Messages").hover()
    window.page.mouse.wheel(0, -10_000)
    expect(last).not_to_be_in_viewport()
    call_method(window, "scrollToEnd")
    expect(last).to_be_in_viewport()
    call_method(window, "delete")
    window.saw("delete")
    expect(window.chat.get_by_text("How can I help?")).to_be_visible()


def test_a_chat_on_somebody_elses_page(
    visit: Visit, model: ScriptedProvider, product: Product, browser: Browser, contexts: list[BrowserContext]
) -> None:
    chat = product.url
    tokens: list[str] = []
    scripts = {"/before.js": BEFORE_SCRIPT, "/shop.js": SHOP_SCRIPT, "/hostile.js": HOSTILE_SCRIPT}
    files = {"/shop.css": ("text/css", SHOP_STYLE), **{path: ("text/javascript", text) for path, text in scripts.items()}}
    with host_pages(files, chat=chat) as port:
        shop_origin = f"http://localhost:{port}"
        key, secret = make_embed(visit, shop_origin)
        files["/"] = "text/html", shop(chat, key, "label='Ask us'")
        files["/inline"] = "text/html", shop(chat, key, "label='Ask us' mode='inline' theme='dark' lang='de' signs")
        files["/hostile"] = "text/html", f"<body><script src='/hostile.js' data-chat='{chat}/embed/{key}/'></script>"

        def window(path: str = "/", origin: str = shop_origin, **settings: Any) -> Shop:
            context = browser.new_context(base_url=origin, reduced_motion="reduce", **settings)
            contexts.append(context)
            new_shop = Shop(context.new_page())
            new_shop.page.goto(path)
            return new_shop

        visitor = window(viewport={"width": 1440, "height": 900})
        problems = PageProblems(visitor.page.context, chat)
        assert visitor.page.evaluate("extra") == ["seen"]  # the shop's own
        visitor.press_button()
        expect(visitor.chat.get_by_text("How can I help?")).to_be_visible()
        expect(visitor.chat.get_by_text("Sees: filter, count")).to_be_visible()
        expect(visitor.box).to_be_focused()
        shot(visitor.page, "drawer-empty")
        model.answer_chat(Text("Hojicha keeps the **warm side** of sencha."))
        visitor.ask("Is teh sencha strong?")
        expect(visitor.answers).to_contain_text("Hojicha keeps the warm side")
        expect(visitor.chat.get_by_role("article", name="You")).to_contain_text("Is the sencha strong?")
        visitor.ask("a secret")
        expect(visitor.box).to_have_value("a secret")
        assert [event["text"] for event in visitor.events("user-message")] == ["Is the sencha strong?"]
        visitor.saw("message-complete")
        assert [(event["text"], event["ended"]) for event in visitor.events("message-complete")] == [
            ("Hojicha keeps the **warm side** of sencha.", "complete")
        ]

        model.answer_chat(Call("update_page_state", {"filter": "low"}))
        model.answer_chat(Text("I have set the shelf to low caffeine for you."))
        visitor.ask("Something for nine in the evening?")
        expect(visitor.page.locator("output")).to_have_text("low")
        expect(visitor.chat.get_by_text("I have set the shelf")).to_be_visible()
        expect(visitor.chat.get_by_text("Changed on this page: filter")).to_be_visible()
        shot(visitor.page, "drawer")
        [call], [result] = visitor.events("tool-call"), visitor.events("tool-result")
        assert call["name"] == "update_page_state"
        assert result == {**call, "ok": True}
        visitor.chat.get_by_role("button", name="Undo the change of this page").click()
        expect(visitor.page.locator("output")).to_have_text("none")
        # What the page made of a key meanwhile is of another type: the way back would break it.
        model.answer_chat(Call("update_page_state", {"filter": "high"}))
        model.answer_chat(Text("Here is what I have set"), Finish("MAX_TOKENS"))
        visitor.ask("And for the morning?")
        expect(visitor.chat.get_by_text("reached its maximum length")).to_be_visible()
        visitor.page.evaluate("document.querySelector('parley-chat').pageState = { filter: 7 }")
        visitor.chat.get_by_role("button", name="Undo the change of this page").click()
        expect(visitor.chat.get_by_role("button", name="Undo the change of this page")).to_have_count(0)
        assert visitor.page.evaluate("document.querySelector('parley-chat').pageState.filter") == 7
        model.answer_chat(Text("for you: sencha."))
        visitor.chat.get_by_role("button", name="Continue").click()
        expect(visitor.chat.get_by_role("article", name="You").last).to_contain_text("Go on")
        expect(visitor.answers.last).to_contain_text("for you: sencha.")
        model.creates_document("Teas", Text("# Teas\n\nHojicha and **kukicha**."), then="So:\n\n```mermaid\nflowchart LR\n  A --> B\n```")
        visitor.ask("Write me a list.")
        card = visitor.chat.get_by_role("region", name="Teas")
        card.get_by_role("button", name="Teas").click()
        expect(card).to_contain_text("Hojicha and kukicha.")
        expect(visitor.chat.get_by_role("img", name="Diagram")).to_be_visible()  # in a frame of ours inside the shop's
        shot(visitor.page, "drawer-document")
        visitor.chat.get_by_role("button", name="Good answer").last.click()
        visitor.saw("feedback")

        visitor.box.press("Escape")
        visitor.saw("close")
        visitor.page.keyboard.press("Enter")  # the button has the focus again, so this opens the drawer
        visitor.saw("open.* close open")
        visitor.page.reload()
        visitor.press_button()
        expect(visitor.answers.first).to_contain_text("Hojicha keeps the warm side")
        assert visitor.page.context.cookies() == []
        assert not [problem for problem in problems.problems if not problem.startswith("foreign request")]
        visitor.page.evaluate("document.querySelector('parley-chat').remove()")
        expect(visitor.page.locator("parley-chat")).to_have_count(0)
        visitor.page.evaluate(AGAIN, key)
        expect(visitor.answers.first).to_contain_text("Hojicha keeps the warm side")
        visitor.page.evaluate(FORGE_MESSAGE)
        visitor.page.evaluate("document.querySelector('#again').clear()")
        expect(visitor.chat.get_by_text("How can I help?")).to_be_visible()
        assert visitor.page.evaluate("forged") == []

        # A visitor whom the shop has signed in. The conversation of a stranger in another browser is not theirs.
        def sign(subject: str = "kim") -> str:
            claims = {"sub": subject, "name": subject.title(), "aud": key, "exp": int(time.time()) + 300, "jti": str(len(tokens))}
            tokens.append(jwt.encode(claims, secret, algorithm="HS256"))
            return tokens[-1]

        files["/token"] = "text/plain", sign()
        kim = window("/inline", viewport={"width": 900, "height": 760}, color_scheme="light")
        expect(kim.chat.get_by_text("Wie kann ich helfen?")).to_be_visible()
        model.answer_chat(Text("Sehr gern."))
        kim.chat.get_by_role("textbox", name="Nachricht").fill("Hilfst du mir?")
        kim.chat.get_by_role("button", name="Senden").click()
        expect(kim.chat.get_by_text("Sehr gern.")).to_be_visible()
        shot(kim.page, "inline-dark")
        files["/token"] = "text/plain", tokens[0]
        kim.page.reload()
        expect(kim.chat.get_by_role("alert")).to_contain_text("schon benutzt")
        files["/token"] = "text/plain", sign()
        kim.page.reload()
        expect(kim.chat.get_by_text("Sehr gern.")).to_be_visible()
        frame = kim.chat
        assert tokens[0] not in frame.url
        kim.page.evaluate("token => { document.querySelector('parley-chat').token = token }", sign("lea"))  # somebody else has signed in
        expect(kim.chat.get_by_text("Wie kann ich helfen?")).to_be_visible()
        expect(kim.chat.get_by_text("Sehr gern.")).to_have_count(0)
        frame = kim.chat
        assert "bearer" not in json.dumps(frame.evaluate("Object.entries(localStorage)"))

        # What a stranger wrote goes along when the shop signs them in, and is no stranger's any more.
        mona = window("/", viewport={"width": 900, "height": 760})
        mona.press_button()
        model.answer_chat(Text("Genmaicha."))
        mona.ask("What smells of rice?")
        expect(mona.answers).to_contain_text("Genmaicha.")
        mona.page.evaluate("token => { document.querySelector('parley-chat').token = token }", sign("mona"))
        expect(mona.answers).to_contain_text("Genmaicha.")
        mona.page.reload()
        mona.press_button()
        expect(mona.chat.get_by_text("How can I help?")).to_be_visible()
        check_events_of_a_talk(mona, model)

        # A page of another origin can neither show the chat nor talk to it, whatever it sends.
        foe = window("/hostile", origin=f"http://127.0.0.1:{port}")
        expect(foe.page.locator("body")).to_have_attribute("data-tried", "yes")
        assert foe.page.evaluate("got") == []
        assert not [frame for frame in foe.page.frames if "/embed/" in frame.url]

        phone = window(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        phone.press_button()
        expect(phone.chat.get_by_text("How can I help?")).to_be_visible()
        shot(phone.page, "phone")
        phone.page.context.set_offline(True)
        expect(phone.chat.get_by_role("status").get_by_text("Offline")).to_be_visible()
        phone.box.fill("Which one is sweetest?")
        phone.chat.get_by_role("button", name="Send", exact=True).tap()
        expect(phone.chat.get_by_role("alert")).to_contain_text("The server cannot be reached.")
        shot(phone.page, "phone-offline")
        phone.page.context.set_offline(False)
        expect(phone.chat.get_by_text("Offline")).to_have_count(0)
        model.answer_chat(Text("Gyokuro."))
        phone.chat.get_by_role("button", name="Try again").tap()
        expect(phone.answers).to_contain_text("Gyokuro.")

    alone = visit(None).page
    alone.goto(f"/embed/{key}/")
    expect(alone.get_by_text("How can I help?")).to_be_visible()
    assert violations(alone) == []
    shot(alone, "page")
    title = alone.get_by_role("heading", level=1)
    title.evaluate("element => { element.style.width = '2em' }")
    title.hover()
    expect(title).to_have_attribute("title", title.inner_text())  # it is cut
    charlie = visit("charlie", organization="other").page
    charlie.goto("/o/other/admin/embed/embedsite/")
    expect(charlie.get_by_text("There is none yet")).to_be_visible()
    assert urlsplit(charlie.url).path.startswith("/o/other/")
