"""What a reader sees of each class of a provider's errors, and the way on."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from doubles.script import Answer, Fault, Item, ReceivedRequest, Text
from tests.e2e.accessibility import violations_in_both_colours
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider, is_chat

WAIT_S = 40  # longer than Parley waits by itself
# Failures that count for the endpoint's breaker come once each, after its beginning or with a long wait: Parley repeats none of these.
FAULTS: dict[str, tuple[Item, ...]] = {
    "refused key": (Fault.status(400, reason="API_KEY_INVALID"),),
    "blocked": (Fault.blocked(),),
    "spent": (Fault.status(402),),
    "limited": (Fault.status(429, retry_after_s=WAIT_S),),
    "overloaded": (Text("It begins well, "), Fault.mid_stream_error(503, "The model is overloaded.")),
    "lost": (Text("It begins well, "), Fault.drop()),
}


class Failing:
    """A provider that fails as the question says, until it is repaired."""

    is_broken = True

    def answer(self, request: ReceivedRequest) -> Answer | None:
        if not is_chat(request):
            return None
        fault = next((items for name, items in FAULTS.items() if self.is_broken and name in request.user_text), None)
        return Answer(fault or (Text("Here it is."),))


def fail(chat: ChatPage, provider: Failing, name: str, words: str) -> Locator:
    """Ask in a new chat, and return the answer with the error's card."""
    provider.is_broken = True
    chat.open()
    chat.composer.fill(f"A question, {name}")
    chat.composer.press("Enter")
    expect(chat.page.get_by_role("alert")).to_have_text(re.compile(words))
    expect(chat.page.locator("body")).to_have_attribute("data-status", "error")
    provider.is_broken = False
    return chat.answer


def recovers(chat: ChatPage) -> None:
    expect(chat.answer).to_contain_text("Here it is.")
    expect(chat.page.get_by_role("alert")).to_have_count(0)
    expect(chat.questions).to_have_count(1)
    expect(chat.answers).to_have_count(1)


def test_each_error_says_what_happened_and_offers_one_way_on(visit: Visit, model: ScriptedProvider) -> None:
    provider = Failing()
    model.answer_by(provider.answer)
    chat = visit("bob", fresh="a clock of its own")
    chat.page.clock.install()

    card = fail(chat, provider, "refused key", "^The provider did not accept the API key.$")
    expect(card.get_by_role("button", name="Your API keys")).to_be_visible()
    card.get_by_role("button", name="Try again").click()
    recovers(chat)

    card = fail(chat, provider, "blocked", "^The provider's safety filter blocked this message.$")
    card.get_by_role("button", name="Edit message").click()
    editor = chat.page.get_by_role("textbox", name="Edit message")
    expect(editor).to_be_focused()
    editor.fill("Another question")
    editor.press("Enter")
    recovers(chat)

    card = fail(chat, provider, "spent", "^The provider's account has no credit left")
    expect(card.get_by_role("button", name=re.compile("Try again|settings"))).to_have_count(0)  # neither helps a member

    card = fail(chat, provider, "limited", "^The provider's rate limit is reached.$")
    expect(card.get_by_text("Trying again in")).to_be_visible()
    expect(card.get_by_role("button", name="Try now")).to_be_visible()
    assert violations_in_both_colours(chat.page) == []
    chat.page.clock.fast_forward(WAIT_S * 1000)
    recovers(chat)

    for name, words in (("overloaded", "The model is overloaded"), ("lost", "^The connection to the provider broke.$")):
        card = fail(chat, provider, name, words)
        expect(card).to_contain_text("It begins well,")
        card.get_by_role("button", name="Try again").click()
        recovers(chat)
