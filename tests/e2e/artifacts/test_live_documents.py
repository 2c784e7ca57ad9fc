"""Several pages write one document: each sees the others type, nothing is lost, and it ends in ordinary versions."""

from __future__ import annotations

import re

from playwright.sync_api import WebSocketRoute, expect

from doubles.script import Text
from doubles.signals import Gate
from tests.e2e.accessibility import violations
from tests.e2e.artifacts.test_artifacts_editing import open_editor, write_line
from tests.e2e.artifacts.test_documents import with_document
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider

# Remembers what the editor shows for a moment: whose name stands at a cursor, and what has just been written.
WATCH = """() => {
  window.passed = {}
  const look = () => {
    for (const caret of document.querySelectorAll('.cm-writer-named')) window.passed['.cm-writer-named'] = caret.dataset.writer
    const fresh = [...document.querySelectorAll('.cm-fresh')].map((mark) => mark.textContent).join('')
    if (fresh.length >= (window.passed['.cm-fresh'] ?? '').length) window.passed['.cm-fresh'] = fresh
  }
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
}"""


class Network:
    """The live sockets of a page, which can be cut."""

    def __init__(self) -> None:
        self._open: list[WebSocketRoute] = []
        self._is_cut = False

    def cut(self) -> None:
        self._is_cut = True
        for socket in self._open:
            socket.close()

    def mend(self) -> None:
        self._is_cut = False

    def connect(self, socket: WebSocketRoute) -> None:
        if self._is_cut:
            socket.close()
        else:
            socket.connect_to_server()
            self._open.append(socket)


def opened_again(chat: ChatPage, page: ChatPage) -> ChatPage:
    page.open(f"c/{chat.conversation_id}/")
    page.open_document("Tea")
    open_editor(page.panel)
    return page


def test_two_pages_and_an_agent_write_one_document(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit(), model)
    open_editor(chat.panel)
    network = Network()
    other_window = visit(dark=True, fresh="sockets that the test holds")
    other_window.page.route_web_socket("**/ws/live/**", network.connect)
    other = opened_again(chat, other_window)
    for window in (chat, other):
        expect(window.panel.root.get_by_text("Also writing: Alice")).to_be_attached()

    other.page.evaluate(WATCH)
    write_line(chat.panel, "Wait. ")
    expect(other.panel.editor).to_contain_text("Wait. Drink it hot.")
    expect(other.panel.editor.locator('[data-writer="Alice"]')).to_have_count(1)
    for passing in (".cm-writer-named", ".cm-fresh"):  # the name stands there for two seconds, the ground for one
        expect(other.panel.editor.locator(passing)).to_have_count(0)
    assert other.page.evaluate("window.passed") == {".cm-writer-named": "Alice", ".cm-fresh": "Wait. "}
    other.panel.editor.get_by_text("It comes from").click()
    other.panel.editor.press("End")
    other.page.keyboard.insert_text(" Mostly.")
    expect(chat.panel.editor).to_contain_text("It comes from China. Mostly.")
    expect(chat.panel.editor.locator('[data-writer="Alice"]')).to_have_count(1)
    assert violations(chat.page) == violations(other.page) == []
    shot(chat.page, "live-light")
    shot(other.page, "live-dark")

    for name, organization in (("bob", "acme"), ("charlie", "other")):  # no other member and no other organization has anything of it
        stranger = visit(name, organization=organization).page
        for place in ("acme", organization):
            assert stranger.request.get(f"/o/{place}/api/artifacts/{chat.artifact_ids[0]}/").status == 404, (name, place)

    network.cut()
    other.page.keyboard.insert_text(" They say.")
    expect(other.panel.root.get_by_text("Offline, 1 change kept")).to_be_visible()
    shot(other.page, "live-offline")
    chat.page.keyboard.insert_text("Please. ")
    network.mend()
    for window in (chat, other):
        expect(window.panel.editor).to_contain_text("It comes from China. Mostly. They say.")
        expect(window.panel.editor).to_contain_text("Wait. Please. Drink it hot.")

    gate = Gate()
    model.updates_document(
        chat.artifact_ids[0], Text("# Green tea\n\n"), gate, Text("It comes from China. Mostly. They say.\n\nWait. Please. Drink it hot.\n")
    )
    chat.say("It is green tea.")
    expect(other.panel.root.get_by_text("A newer version is being written")).to_be_visible()
    other.page.keyboard.insert_text(" Never mind.")
    expect(chat.panel.editor).to_contain_text("They say. Never mind.")
    gate.release()
    chat.rests()
    for window in (chat, other):
        expect(window.panel.editor).to_contain_text("Green tea")
        expect(window.panel.editor).to_contain_text("They say. Never mind.")

    other.panel.view("Write")
    expect(other.panel.rich_text).to_contain_text("Green tea")
    other.panel.rich_text.get_by_text("They say.").click()
    other.panel.rich_text.press("End")
    other.page.keyboard.insert_text(" Good night.")
    expect(chat.panel.editor).to_contain_text("Never mind. Good night.")
    other_line = chat.panel.editor.locator(".cm-line", has=chat.page.locator('[data-writer="Alice"]'))
    expect(other_line).to_have_text(re.compile("Good night\\.$"))
    network.cut()
    for words, key, added in (("It comes from", "Home", "Well: "), ("Drink it hot", "End", " Really.")):
        chat.panel.editor.get_by_text(words).click()
        chat.panel.editor.press(key)
        chat.page.keyboard.insert_text(added)
    network.mend()
    expect(other.panel.rich_text).to_contain_text("Well: It comes from")
    expect(other.panel.rich_text).to_contain_text("hot. Really.")
    other.page.keyboard.insert_text(" Sleep well.")  # the cursor is still between what came before and behind it
    expect(chat.panel.editor).to_contain_text("Good night. Sleep well.")
    chat.panel.editor.press("Control+Home")
    chat.page.keyboard.press("Shift+End")
    expect(other.panel.rich_text.get_by_role("heading").locator('[data-writer="Alice"]')).to_have_count(1)
    expect(other.panel.rich_text.locator(".cm-written")).to_have_text("Green tea")
    shot(other.page, "live-write")
    expect(other.panel.rich_text.locator(".cm-writer-named")).to_have_count(0)
    chat.panel.editor.press("Control+s")
    expect(chat.panel.saved_label).to_be_visible()
    expect(chat.panel.root.get_by_text("Edited by Alice")).to_be_visible()
    other.page.reload()
    other.open_document("Tea")
    expect(other.panel.text).to_contain_text("Never mind. Good night.")

    open_editor(other.panel)
    expect(other.panel.root.get_by_text("Also writing: Alice")).to_be_attached()
    network.cut()
    write_line(other.panel, "Later. ")
    offline = other.panel.root.get_by_text("Offline, 1 change kept")
    expect(offline).to_be_visible()
    other.page.set_viewport_size({"width": 320, "height": 640})
    expect(other.panel.root).to_have_css("width", "320px")
    assert offline.evaluate("words => words.parentElement.scrollWidth <= words.parentElement.clientWidth")
    shot(other.page, "live-offline-narrow")
