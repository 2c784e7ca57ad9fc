"""A shop that embeds the chat, and a visitor's window on it."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from playwright.sync_api import Frame, Locator, Page, TimeoutError as TooLate, expect

from tests.e2e.conftest import PATIENCE_MS
from tests.support.suite.time_limits import scaled_to_load

BEFORE_SCRIPT = "Object.defineProperty(document, 'before', { value: new Set(Object.getOwnPropertyNames(window)) })"

SHOP_SCRIPT = """\
const chat = document.querySelector('parley-chat')
window.seen = []
const talk = ['before-send', 'user-message', 'message-complete', 'tool-call', 'tool-result', 'data-part', 'error', 'stop', 'regenerate', 'edit', 'suggestion-click']
for (const name of [...talk, 'page-state', 'open', 'close', 'clear', 'delete', 'feedback'])
  document.addEventListener('parley:' + name, (event) => {
    seen.push([name, event.detail])
    document.body.dataset.seen = seen.map(([seenName]) => seenName).join(' ')
  })
document.addEventListener('parley:before-send', (event) => {
  if (event.detail.text.includes('secret')) event.preventDefault()
  event.detail.text = event.detail.text.replace('teh', 'the').replace(/^Continue$/, 'Go on')
})
chat.pageState = { filter: 'none', count: 3 }
document.addEventListener('parley:page-state', (event) => { document.querySelector('output').textContent = event.detail.state.filter })
if (chat.hasAttribute('signs')) chat.token = async () => (await fetch('/token')).text()
addEventListener('load', () => { const extra = Object.getOwnPropertyNames(window).filter((name) => !document.before.has(name)); window.extra = extra })
"""


def shop(chat: str, key: str, extra: str = "") -> str:
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<title>Kettle & Leaf</title><link rel='stylesheet' href='/shop.css'></head><body><main><h1>Green teas for the evening</h1>"
        f"<p>Filter: <output>none</output></p><a href='#pots'>Pots</a></main><parley-chat site='{key}' accent='#22603c' {extra}></parley-chat>"
        f"<script src='/before.js'></script><script src='{chat}/embed.js'></script><script src='/shop.js'></script></body></html>"
    )


SHOP_STYLE = "body { font: 18px/1.6 serif; background: #fcf7ee; color: #1c3226; margin: 40px } * { letter-spacing: .01em } button { color: red !important }"


def frames_of_chat(page: Page) -> list[Frame]:
    frames = [frame for frame in page.frames if "/embed/" in frame.url and frame is not page.main_frame]
    return [frame for frame in frames if "/sandbox/" not in frame.url]  # without those that draw its diagrams


def chat_of(page: Page) -> Frame:
    while not (frames := frames_of_chat(page)):
        page.wait_for_event("framenavigated", timeout=PATIENCE_MS)
    return frames[-1]


class Shop:
    """A visitor's window on a page that embeds the chat."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @property
    def chat(self) -> Frame:
        """The chat's frame, which is new after each load. It is in a closed shadow root, where no locator looks."""
        return chat_of(self.page)

    @property
    def box(self) -> Locator:
        return self.chat.get_by_role("textbox", name="Message")

    @property
    def answers(self) -> Locator:
        return self.chat.get_by_role("article", name="Assistant")

    def press_button(self) -> None:
        """Press the round button in the corner, for the same reason by its place."""
        size = self.page.viewport_size
        assert size is not None
        self.page.wait_for_function("!!customElements.get('parley-chat')")
        while not frames_of_chat(self.page):  # a press before the button is drawn goes nowhere
            self.page.mouse.click(size["width"] - 44, size["height"] - 44)
            with suppress(TooLate):
                self.page.wait_for_event("framenavigated", lambda _: bool(frames_of_chat(self.page)), timeout=scaled_to_load(3) * 1000)

    def ask(self, text: str) -> None:
        self.box.fill(text)
        self.box.press("Enter")

    def saw(self, names: str) -> None:
        """Wait until the page had these events."""
        expect(self.page.locator("body")).to_have_attribute("data-seen", re.compile(names))

    def events(self, name: str) -> list[dict[str, Any]]:
        return [detail for event, detail in self.page.evaluate("seen") if event == name]
