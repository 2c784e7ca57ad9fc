"""An answer does not depend on the tab, the socket or the process that it started in."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby, pairwise
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import WebSocketRoute, expect

from doubles.script import Text
from doubles.signals import Gate
from tenants.authentication.sessions import session_hash
from tests.e2e.accessibility import violations_in_both_colours
from tests.e2e.pages import ChatPage, Visit, sign_in
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import Product
from tests.support.system.product_servers import end, restart

WHOLE = "The first half, the second half."


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def chat(visit: Visit, model: ScriptedProvider, gate: Gate) -> ChatPage:
    """A conversation whose first answer is half written."""
    model.answer_chat(Text("The first half, "), gate, Text("the second half."))
    return half_written(visit().open())


def half_written(chat: ChatPage) -> ChatPage:
    chat.say("Tell me both halves.")
    expect(chat.answer).to_contain_text("The first half,")
    return chat


def shows_the_answer_once(chat: ChatPage) -> None:
    chat.rests()
    expect(chat.answers).to_have_count(1)
    expect(chat.answer.get_by_role("paragraph")).to_have_text([WHOLE])


def test_a_reloaded_page_and_a_second_tab_follow_the_same_answer(chat: ChatPage, model: ScriptedProvider, gate: Gate) -> None:
    chat.page.reload()
    second = ChatPage(chat.context.new_page())
    second.open(f"c/{chat.conversation_id}/")
    for tab in (chat, second):
        tab.streams()
        expect(tab.answer).to_contain_text("The first half,")
        expect(tab.stop_button).to_be_visible()
    gate.release()
    for tab in (chat, second):
        shows_the_answer_once(tab)
    assert chat.stored_texts == ["Tell me both halves.", WHOLE]
    assert len(model.chat_requests) == 1


def test_an_answer_goes_on_after_its_socket_broke(visit: Visit, model: ScriptedProvider, gate: Gate) -> None:
    sockets: list[WebSocketRoute] = []

    def between(route: WebSocketRoute) -> None:
        route.connect_to_server()
        sockets.append(route)

    chat = visit(fresh="a socket that the test holds")
    chat.page.route_web_socket("**/ws/chat/", between)
    model.answer_chat(Text("The first half, "), gate, Text("the second half."))
    half_written(chat.open())
    sockets[0].close(code=1012, reason="The server restarts.")
    expect(chat.page.locator("body")).to_have_attribute("data-connection", "steady")
    chat.streams()
    gate.release()
    shows_the_answer_once(chat)
    assert len(sockets) == 2
    assert len(model.chat_requests) == 1


def test_a_message_sent_without_a_network_arrives_once(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("It came."))
    chat = visit().open()
    expect(chat.composer).to_be_focused()
    chat.context.set_offline(True)
    chat.composer.fill("Are you there?")
    chat.composer.press("Enter")
    expect(chat.page.get_by_text("Reconnecting…", exact=True)).to_be_visible()
    chat.context.set_offline(False)
    expect(chat.answer).to_contain_text("It came.")
    chat.rests()
    assert chat.stored_texts == ["Are you there?", "It came."]
    assert len(model.chat_requests) == 1


def test_a_message_whose_page_was_closed_without_a_network_is_back_in_the_box(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    expect(chat.composer).to_be_focused()
    chat.context.set_offline(True)
    chat.composer.fill("Are you there?")
    chat.composer.press("Enter")
    expect(chat.page.get_by_role("status").get_by_text("Offline")).to_be_visible()
    address = chat.page.url
    later = ChatPage(chat.context.new_page())
    chat.page.close()
    later.context.set_offline(False)
    later.page.goto(address)
    expect(later.composer).to_have_value("Are you there?")
    model.answer_chat(Text("It came."))
    later.composer.press("Enter")
    expect(later.answer).to_contain_text("It came.")
    later.rests()
    assert later.stored_texts == ["Are you there?", "It came."]
    assert len(model.chat_requests) == 1


def test_a_page_that_comes_back_to_its_network_gives_up_its_old_sockets(chat: ChatPage, gate: Gate, model: ScriptedProvider) -> None:
    with chat.page.expect_websocket(lambda socket: "/ws/chat/" in socket.url):
        chat.page.evaluate("dispatchEvent(new Event('online'))")
    chat.streams()
    gate.release()
    shows_the_answer_once(chat)
    assert len(model.chat_requests) == 1


def test_an_answer_that_ended_out_of_sight_is_marked_on_every_screen_until_it_is_seen(chat: ChatPage, gate: Gate) -> None:
    conversation_id = chat.conversation_id
    second = ChatPage(chat.context.new_page()).open()
    chat.page.get_by_role("button", name=re.compile("^New chat")).click()
    gate.release()
    marks = [tab.sidebar.locator(f"a[href$='/c/{conversation_id}/']").get_by_role("img", name="New answer") for tab in (chat, second)]
    for tab, mark in zip((chat, second), marks, strict=True):
        expect(mark).to_be_visible()
        expect(tab.page).to_have_title(re.compile(r"^\(\d+\) "))
    second.open(f"c/{conversation_id}/")
    expect(second.answer).to_contain_text(WHOLE)
    for mark in marks:
        expect(mark).to_have_count(0)


def test_an_answer_outlives_its_web_process(chat: ChatPage, model: ScriptedProvider, product: Product) -> None:
    model.answer_chat(Text(WHOLE))
    end(product.web, signal.SIGKILL)
    expect(chat.page.get_by_text("Reconnecting…", exact=True)).to_be_visible()
    restart(product.web)
    shows_the_answer_once(chat)
    assert chat.stored_texts == ["Tell me both halves.", WHOLE]


def test_a_page_says_why_it_waits_and_goes_on_by_itself(visit: Visit) -> None:
    chat, code = visit("bob", phone=True, fresh="sockets that the test closes"), [1013]

    def close_socket(route: WebSocketRoute) -> None:
        if code:
            route.close(code=code[0])
        else:
            route.connect_to_server()

    chat.page.route_web_socket("**/ws/notify/", close_socket)
    chat.open()
    status = chat.page.get_by_role("status")
    expect(status.get_by_text("Server busy")).to_be_visible()
    assert violations_in_both_colours(chat.page) == []
    code[:] = [1008]
    expect(status.get_by_text("Paused")).to_be_visible()
    if folder := os.environ.get("SHOTS"):
        chat.page.screenshot(path=Path(folder) / "too-many.png")
    assert violations_in_both_colours(chat.page) == []
    code.clear()
    expect(status.get_by_text("Paused")).to_be_hidden()


@contextmanager
def session_ended(chat: ChatPage, product: Product) -> Iterator[None]:
    """The window's session has expired; other windows may have the same, so it is valid again afterwards."""
    [key] = [cookie["value"] for cookie in chat.context.cookies() if cookie["name"].endswith("parley_session")]
    with psycopg.connect(product.env["DATABASE_OWNER_URL"], autocommit=True) as owner:
        move = "update tenants_session set expire_date = expire_date + %s * interval '1 year' where session_key = %s"
        assert owner.execute(move, [-2, session_hash(key)]).rowcount == 1
        try:
            yield
        finally:
            owner.execute(move, [2, session_hash(key)])


def test_a_page_whose_session_ended_during_an_outage_goes_to_the_sign_in(visit: Visit, product: Product) -> None:
    chat = visit("alice", fresh="its session ends").open()
    expect(chat.composer).to_be_focused()
    chat.composer.fill("Half a thought")
    end(product.web, signal.SIGKILL)
    expect(chat.page.get_by_role("status").get_by_text("Offline")).to_be_visible()
    with session_ended(chat, product):
        restart(product.web)
        expect(chat.page).to_have_url(re.compile(r"/login/\?next="))
    sign_in(chat.page, "alice@example.org")
    expect(chat.composer).to_have_value("Half a thought")


def test_escape_closes_the_search_first_and_stops_the_answer_then(chat: ChatPage) -> None:
    chat.page.keyboard.press("Control+k")
    expect(chat.page.get_by_role("combobox", name="Search your chats")).to_be_focused()
    chat.page.keyboard.press("Escape")
    expect(chat.page.get_by_role("dialog")).to_have_count(0)
    expect(chat.stop_button).to_be_enabled()
    chat.page.keyboard.press("Escape")
    chat.rests()


def test_stop_keeps_what_was_written_and_says_so(chat: ChatPage, model: ScriptedProvider) -> None:
    chat.stop_button.click()
    note = chat.answer.get_by_role("note")
    expect(note).to_have_text("Stopped. What was written so far is kept.")
    expect(chat.answer.get_by_role("paragraph")).to_have_text(["The first half,"])
    model.answer_chat(Text("Gladly."))
    chat.ask("Once more, please.")
    expect(chat.answer).to_contain_text("Gladly.")
    chat.page.reload()
    expect(note).to_have_count(0)
    expect(chat.answers.first.get_by_role("note")).to_be_visible()
    assert chat.stored_texts == ["Tell me both halves.", "The first half, ", "Once more, please.", "Gladly."]


def test_a_message_that_is_written_without_a_network_goes_into_the_answer_by_itself(chat: ChatPage, model: ScriptedProvider) -> None:
    chat.context.set_offline(True)
    chat.composer.fill("And tea.")
    chat.composer.press("Enter")
    on_its_way = chat.page.get_by_role("list", name="Messages on their way").get_by_role("listitem")
    expect(on_its_way).to_contain_text("Will send when you\u2019re back online")
    model.answer_chat(Text("Tea, too."))
    chat.context.set_offline(False)
    expect(chat.answer).to_contain_text("Tea, too.")
    chat.rests()
    expect(on_its_way).to_have_count(0)
    assert "And tea." in model.chat_requests[-1].user_text


def test_a_message_that_the_server_refuses_can_be_changed(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    chat.composer.fill("long " * 14_000)
    chat.composer.press("Enter")
    expect(chat.page.get_by_role("alert")).to_contain_text("too long: 69,999 characters")
    chat.page.get_by_role("button", name="Edit", exact=True).click()
    expect(chat.composer).to_be_focused()
    expect(chat.composer).to_have_value("long " * 13_999 + "long")
    model.answer_chat(Text("It came."))
    chat.ask("short")
    assert chat.stored_texts == ["short", "It came."]


WATCH_TEXT = """
(async () => {
    window.texts = []
    const look = () => {
        window.texts.push(document.querySelector('article[aria-label="Assistant"] p')?.textContent ?? '')
        requestAnimationFrame(look)
    }
    look()
})()
"""


def test_no_text_leaves_the_screen_when_another_process_takes_over(chat: ChatPage, model: ScriptedProvider, product: Product) -> None:
    beginning, rest = Gate("begun"), Gate("rest")
    model.answer_chat(Text("The first "), beginning, Text("half, the "), rest, Text("second half."))
    chat.page.evaluate(WATCH_TEXT)
    end(product.web, signal.SIGKILL)
    restart(product.web)
    beginning.reached.wait()
    chat.streams()
    expect(chat.answer).to_contain_text("The first half,")
    beginning.release()
    rest.reached.wait()
    expect(chat.answer).to_contain_text("The first half, the")
    rest.release()
    shows_the_answer_once(chat)
    texts = [text for text, _ in groupby(map(str.rstrip, chat.page.evaluate("window.texts")))]  # a space at the end is not seen
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts)), texts
    assert (texts[0], texts[-1]) == ("The first half,", WHOLE)
