"""What an answer, a conversation and a member used, on the page."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from doubles.script import Call, Text
from doubles.signals import Gate
from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

FIGURES = re.compile(r"what this answer used$")


def test_an_answer_tells_what_it_used_and_the_conversation_adds_up(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    model.answer_chat(Text("Black and green."))
    chat.ask("Which kinds of tea are there?")
    figures = chat.answer.get_by_role("button", name=FIGURES)
    expect(figures).to_contain_text(re.compile(r" · [\d.]+ m?s · [\d,]+ tokens"))
    figures.click()
    details = chat.page.get_by_role("dialog", name="What this answer used")
    expect(details).to_contain_text(
        re.compile(r"Input[\d,]+.*Answer[\d,]+.*This answer[\d,]+ tokens.*Costunknown.*Conversation so farunknown")
    )
    expect(details).to_contain_text(re.compile(r"First word after .+, done in "))
    expect(details.get_by_text(re.compile("^Run "))).to_be_hidden()
    details.get_by_text("Details").click()
    expect(details.get_by_text(re.compile("^Run [0-9a-f-]{36}$"))).to_be_visible()
    assert violations(chat.page) == []
    chat.page.keyboard.press("Escape")
    expect(figures).to_be_focused()
    before = chat.page.get_by_text(re.compile("^Conversation so far: "))
    first = before.inner_text()
    model.answer_chat(Text("Gladly."))
    chat.ask("Once more, please.")
    expect(before).not_to_have_text(first)


def test_a_running_answer_tells_time_and_tokens(visit: Visit, model: ScriptedProvider) -> None:
    gate = Gate()
    model.answer_chat(Text("It begins"), gate, Text(" and ends."))
    chat = visit().open()
    chat.say("A slow one, please.")
    expect(chat.answer.get_by_text(re.compile(r" · \d+(\.\d)? s · [\d,]+ tokens$"))).to_be_visible()
    gate.release()
    chat.rests()
    expect(chat.answer.get_by_role("button", name=FIGURES)).to_be_visible()


def test_my_usage_shows_the_period_and_leads_to_a_conversation(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit("bob").open()
    model.answer_chat(Text("Green."))
    chat.ask("What is my favourite tea?")
    chat.page.get_by_role("button", name=re.compile("sign out$")).click()
    chat.page.get_by_role("menuitem", name="My usage").click()
    usage = chat.page.get_by_role("region", name="My usage")
    expect(usage.get_by_role("region", name="Tokens by day")).to_be_visible()
    expect(usage.get_by_role("heading", name="Per answer").locator("..")).to_contain_text("Unknown")
    chart = usage.get_by_role("img", name=re.compile("^Tokens by day"))
    chart.focus()
    chart.press("ArrowRight")
    expect(usage.get_by_role("status")).to_contain_text("1 ")
    assert violations_in_both_colours(chat.page) == []
    phone = visit("bob", phone=True).open("usage/").page
    expect(phone.get_by_role("region", name="Tokens by day")).to_be_visible()
    assert violations_in_both_colours(phone) == []
    usage.get_by_role("button", name="12 months").click()
    expect(usage.get_by_role("region", name="Tokens by month")).to_be_visible()
    usage.get_by_role("link").first.click()
    expect(chat.answers.first).to_be_visible()  # another test may have given Bob a dearer conversation


def test_the_usage_page_of_somebody_who_used_nothing_says_so(visit: Visit) -> None:
    chat = visit("charlie", organization="other").open("usage/")
    expect(chat.page.get_by_text(re.compile("^Nothing used in "))).to_be_visible()


def test_a_document_is_announced_once_and_its_inputs_are_under_details(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "Write about tea, briefly."}))
    model.answer_document(Text("# Tea\n"))
    model.answer_chat(Text("There it is."))
    chat = visit().open()
    chat.ask("Write a document about tea.")
    expect(chat.chip("Tea")).to_contain_text("Created · version 1")
    expect(chat.work).to_have_count(0)
    expect(chat.answer.get_by_text("Write about tea, briefly.")).to_have_count(0)
    chat.answer.get_by_role("button", name="Details", exact=True).click()
    expect(chat.answer.get_by_label("Inputs")).to_contain_text("Write about tea, briefly.")


def test_a_busy_provider_is_asked_again_by_itself(visit: Visit, model: ScriptedProvider) -> None:
    model.use_demo_script()
    chat = visit().open()
    chat.composer.fill("/error busy")
    chat.composer.press("Enter")
    expect(chat.page.get_by_text(re.compile(r"^Trying again in \d+ seconds?\.$"))).to_be_visible()
    expect(chat.page.get_by_role("button", name="Try now")).to_have_count(1)
    model.answer_chat(Text("Here I am again."))
    expect(chat.answer).to_contain_text("Here I am again.")
    expect(chat.page.get_by_role("alert")).to_have_count(0)
