"""One conversation that changes its provider at every message, as a newcomer finds it in the demo organization."""

from __future__ import annotations

from playwright.sync_api import expect

from accounts.sign_in.demo_logins import DEMO_LOGIN
from doubles.script import Text
from tests.e2e.pages import ChatPage, Visit, sign_in
from tests.e2e.scripted_provider import ScriptedProvider

MODELS = ["Demo", "Demo (fast)", "Demo (OpenAI)", "Demo (Anthropic)", "Demo (compatible)"]
GROUPS = ["Demo (no key, scripted)", "Demo (OpenAI protocol)", "Demo (Anthropic protocol)", "Demo (compatible protocol)"]


def newcomer(visit: Visit) -> ChatPage:
    chat = visit(None, organization="demo")
    chat.page.goto("/login/")
    sign_in(chat.page, *DEMO_LOGIN[:2])
    chat.page.wait_for_url("/o/demo/")
    return chat


def ask(chat: ChatPage, model: str, question: str) -> None:
    """Choose the model, ask it, and see whose answer it is."""
    chat.choose_model(model)
    chat.ask(question)
    expect(chat.answer.get_by_text(f"{model} ·")).to_be_visible()


def test_the_menu_has_the_models_of_every_provider_that_is_offered(visit: Visit) -> None:
    chat = newcomer(visit)
    chat.model_menu.click()
    expect(chat.page.get_by_role("menuitemradio").locator(".font-medium")).to_have_text(MODELS)
    for label in GROUPS:
        expect(chat.page.get_by_role("group", name=label, exact=True)).to_be_visible()


def test_a_conversation_changes_its_provider_at_every_message(visit: Visit, model: ScriptedProvider) -> None:
    chat = newcomer(visit)
    model.answer_chat(Text("From Gemini's wire."))
    ask(chat, "Demo", "Hello there, Gemini")
    expect(chat.answer).to_contain_text("From Gemini's wire.")

    ask(chat, "Demo (OpenAI)", "Write a report about solar energy.")
    chat.panel.shows_version(1, of=1)
    report = chat.panel.text.inner_text()
    ask(chat, "Demo (Anthropic)", "Make it shorter.")
    chat.panel.shows_version(2, of=2)
    expect(chat.panel.text).not_to_have_text(report)
    ask(chat, "Demo (compatible)", "Show me a table")
    expect(chat.answer.get_by_role("table")).to_be_visible()

    model.answer_chat(Text("I have read all of it."))
    ask(chat, "Demo", "And you?")
    contents = str(model.chat_requests[-1].contents)
    assert all(words in contents for words in ("From Gemini's wire.", "It is ready to read", "I changed **Solar energy**", "| Month |"))
    answers = [message["metadata"] for message in chat.conversation["messages"] if message["role"] == "assistant"]
    assert [answer["provider"] for answer in answers] == ["demo", "demo_openai", "demo_anthropic", "demo_compatible", "demo"]
    assert all(answer["isDemo"] for answer in answers)
