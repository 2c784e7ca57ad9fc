"""The end of a growing answer stays in sight, and nothing moves away from a reader who looks or presses elsewhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from doubles.script import Item, Text, Thought
from doubles.signals import Gate
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider

LATER = (60, 90, 120, 150, 180, 210)


def lines(first: int, last: int) -> Text:
    return Text("".join(f"Line {number}.\n\n" for number in range(first, last + 1)))


@pytest.fixture
def gates(model: ScriptedProvider) -> list[Gate]:
    """What holds the later pieces of an answer back: each lets thirty lines more through."""
    line_gates = [Gate(f"{last} lines") for last in LATER]
    pieces: list[Item] = [lines(1, 30)]
    for gate, last in zip(line_gates, LATER, strict=True):
        pieces += [gate, lines(last - 29, last)]
    model.answer_chat(*pieces)
    return line_gates


@pytest.fixture
def chat(visit: Visit, gates: list[Gate]) -> ChatPage:
    """A conversation with the first thirty lines of a long answer."""
    page = visit().open()
    page.say("Count the lines.")
    expect(line(page, 30)).to_be_in_viewport()
    return page


def messages(chat: ChatPage) -> Locator:
    return chat.page.get_by_role("region", name="Messages")


def swipe(chat: ChatPage, distance: int) -> None:
    """Pull the messages down by so many pixels, or up."""
    session = chat.context.new_cdp_session(chat.page)
    start = 200 if distance > 0 else 600
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": 190, "y": start}]})
    for step in range(1, 9):
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": 190, "y": start + distance * step / 8}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


def hold_scroll_bar(chat: ChatPage) -> None:
    """Press the mouse where the scroll bar is; this browser draws none."""
    place = messages(chat).bounding_box()
    assert place
    chat.page.mouse.move(place["x"] + place["width"] - 4, place["y"] + place["height"] / 2)
    chat.page.mouse.down()


def line(chat: ChatPage, number: int) -> Locator:
    return chat.answer.get_by_text(f"Line {number}.", exact=True)


def grows_out_of_sight(chat: ChatPage, gate: Gate, last: int) -> None:
    gate.release()
    expect(line(chat, last)).to_be_attached()
    expect(line(chat, last)).not_to_be_in_viewport()


def grows_in_sight(chat: ChatPage, gate: Gate, last: int) -> None:
    gate.release()
    expect(line(chat, last)).to_be_in_viewport()


def test_the_end_stays_in_sight_unless_a_reader_leaves_it(chat: ChatPage, gates: list[Gate]) -> None:
    chat.composer.fill("A line.\n" * 12)  # a long text in the message box does not cover it
    expect(line(chat, 30)).to_be_in_viewport()
    chat.composer.fill("")
    grows_in_sight(chat, gates[0], 60)
    grows_in_sight(chat, gates[1], 90)
    messages(chat).evaluate("box => box.scrollBy(0, -300)")  # as the list does once it has measured messages, late on a slow device
    grows_in_sight(chat, gates[2], 120)
    messages(chat).evaluate("box => { box.style.paddingBottom = '400px'; box.scrollBy(0, -500); box.style.paddingBottom = '' }")
    grows_in_sight(chat, gates[3], 150)
    hold_scroll_bar(chat)  # a press that moves nothing
    chat.page.mouse.up()
    grows_in_sight(chat, gates[4], 180)


def test_a_key_a_wheel_and_the_scroll_bar_leave_the_end_and_come_back_to_it(chat: ChatPage, gates: list[Gate]) -> None:
    messages(chat).press("PageUp")
    expect(line(chat, 30)).not_to_be_in_viewport()
    grows_out_of_sight(chat, gates[0], 60)
    messages(chat).press("End")
    grows_in_sight(chat, gates[1], 90)

    line(chat, 88).hover()
    chat.page.mouse.wheel(0, -300)
    expect(line(chat, 90)).not_to_be_in_viewport()
    grows_out_of_sight(chat, gates[2], 120)
    chat.page.mouse.wheel(0, 5_000)
    expect(line(chat, 120)).to_be_in_viewport()
    grows_in_sight(chat, gates[3], 150)

    hold_scroll_bar(chat)
    messages(chat).evaluate("box => box.scrollBy(0, -300)")
    expect(line(chat, 150)).not_to_be_in_viewport()
    chat.page.mouse.up()
    grows_out_of_sight(chat, gates[4], 180)


def test_a_reader_who_scrolled_up_stays_there_and_is_offered_the_way_to_the_end(chat: ChatPage, gates: list[Gate]) -> None:
    jump = chat.page.get_by_role("button", name="Jump to the newest message")
    line(chat, 28).hover()
    chat.page.mouse.wheel(0, -120)  # so little that the way back is offered only once the answer has grown
    expect(line(chat, 30)).not_to_be_in_viewport()
    expect(jump).to_have_count(0)
    grows_out_of_sight(chat, gates[0], 60)
    jump.click()
    expect(line(chat, 60)).to_be_in_viewport()
    grows_in_sight(chat, gates[1], 90)

    line(chat, 88).hover()
    chat.page.mouse.wheel(0, -20_000)
    expect(line(chat, 2)).to_be_in_viewport()
    gates[2].release()
    expect(line(chat, 120)).to_be_attached()
    expect(line(chat, 2)).to_be_in_viewport()
    jump.click()
    expect(line(chat, 120)).to_be_in_viewport()
    grows_in_sight(chat, gates[3], 150)


def test_the_tab_key_leaves_the_end_for_what_is_out_of_sight(visit: Visit, model: ScriptedProvider) -> None:
    gate = Gate()
    model.answer_chat(Text("See [the tea house](https://example.org/).\n\n"), lines(1, 30), gate, lines(31, 60))
    chat = visit().open()
    chat.say("Count the lines.")
    expect(line(chat, 30)).to_be_in_viewport()
    messages(chat).focus()
    link = chat.answer.get_by_role("link", name="the tea house")
    for _ in range(8):
        chat.page.keyboard.press("Tab")
        if link.evaluate("link => link === document.activeElement"):
            break
    expect(link).to_be_in_viewport()
    gate.release()
    expect(line(chat, 60)).to_be_attached()
    expect(link).to_be_in_viewport()


def test_a_finger_leaves_the_end_and_comes_back_to_it(visit: Visit, gates: list[Gate]) -> None:
    chat = visit(phone=True).open()
    chat.composer.fill("Count the lines.")
    chat.send_button.tap()
    expect(line(chat, 30)).to_be_in_viewport()
    swipe(chat, 400)
    expect(line(chat, 30)).not_to_be_in_viewport()
    gates[0].release()
    expect(line(chat, 60)).to_be_attached()
    expect(line(chat, 60)).not_to_be_in_viewport()
    for _ in range(6):
        swipe(chat, -580)
    gates[1].release()
    expect(line(chat, 90)).to_be_in_viewport()


def test_a_send_goes_to_the_end_wherever_the_reader_is(chat: ChatPage, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Then it ends."))
    chat.answer.hover()
    chat.page.mouse.wheel(0, -5_000)
    expect(line(chat, 30)).not_to_be_in_viewport()
    chat.composer.fill("And then?")
    chat.composer.press("Enter")
    expect(chat.answer.get_by_text("Then it ends.")).to_be_in_viewport()
    chat.rests()


def test_a_press_counts_though_its_button_moved_before_the_release(visit: Visit, model: ScriptedProvider) -> None:
    gate = Gate()
    model.answer_chat(Thought("They want many lines."), lines(1, 3), gate, lines(4, 60))
    chat = visit().open()
    chat.thinking.click()
    chat.say("Count the lines.")
    thought = chat.answer.get_by_role("group", name="Reasoning").get_by_role("button")
    expect(thought).to_have_attribute("aria-expanded", "false")
    thought.hover()
    chat.page.mouse.down()
    gate.release()
    expect(line(chat, 60)).to_be_in_viewport()
    chat.page.mouse.up()
    expect(thought).to_have_attribute("aria-expanded", "true")


def test_dragging_away_from_a_button_does_not_press_it(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Thought("They want a line."), lines(1, 1))
    chat = visit().open()
    chat.thinking.click()
    chat.ask("Count the lines.")
    thought = chat.answer.get_by_role("group", name="Reasoning").get_by_role("button")
    thought.hover()
    chat.page.mouse.down()
    line(chat, 1).hover()
    chat.page.mouse.up()
    thought.press("Enter")
    expect(thought).to_have_attribute("aria-expanded", "true")


def test_text_does_not_move_away_from_a_mouse_that_selects_it(chat: ChatPage, gates: list[Gate]) -> None:
    place = line(chat, 28).bounding_box()
    assert place
    chat.page.mouse.move(place["x"] + 1, place["y"] + place["height"] / 2)
    chat.page.mouse.down()
    chat.page.mouse.move(place["x"] + 30, place["y"] + place["height"] / 2, steps=3)
    gates[0].release()
    expect(line(chat, 60)).to_be_attached()
    chat.page.mouse.move(place["x"] + 200, place["y"] + place["height"] / 2, steps=3)
    chat.page.mouse.up()
    assert chat.page.evaluate("getSelection().toString()").strip() == "Line 28."
    gates[1].release()
    expect(line(chat, 90)).to_be_attached()
    expect(line(chat, 28)).to_be_in_viewport()
