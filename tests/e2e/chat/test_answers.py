"""An answer in the chat: streamed Markdown, thoughts, errors, and nothing that a model's text can make the page do."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from doubles.script import Fault, Text, Thought
from doubles.signals import Gate
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider, title_of

QUESTION = "Which kinds of tea are there?"

HOSTILE = """\
![a picture](http://127.0.0.1:9/tracker.png) and ![another](//127.0.0.1:9/tracker.png)

[a script](javascript:document.title='taken') and [data](data:text/html,<script>document.title='taken'</script>)

<img src="http://127.0.0.1:9/raw.png" onerror="document.title='taken'"> <script>document.title='taken'</script>

[a good link](https://example.org/)
"""


def title_pattern(question: str) -> re.Pattern[str]:
    """The page's title; before it may stand how many other conversations are unread."""
    return re.compile(rf"^(\(\d+\) )?{re.escape(title_of(question))} · Acme$")


def test_an_answer_streams_as_markdown_and_gets_its_title_in_the_background(visit: Visit, model: ScriptedProvider) -> None:
    gate = Gate()
    model.answer_chat(Text("# Tea\n\nThe kinds are:\n\n- white\n- gre"), gate, Text("en\n\n```python\nprint('tea')\n```\n"))
    chat = visit().open()
    chat.say(QUESTION)
    expect(chat.answer.get_by_role("heading", name="Tea")).to_be_visible()
    expect(chat.answer.get_by_role("listitem")).to_have_text(["white", "gre"])
    expect(chat.stop_button).to_be_visible()
    gate.release()
    chat.rests()
    expect(chat.answer.get_by_role("listitem")).to_have_text(["white", "green"])
    expect(chat.answer.get_by_role("group", name="Code, python")).to_have_text("print('tea')")
    expect(chat.questions).to_have_text(QUESTION)
    expect(chat.row(title_of(QUESTION)).first).to_be_visible()  # another test asks the same
    expect(chat.page).to_have_title(title_pattern(QUESTION))


def test_thoughts_are_shown_only_when_the_user_asked_for_them(visit: Visit, model: ScriptedProvider) -> None:
    gate = Gate()
    chat = visit().open()
    model.answer_chat(Thought("They ask twice."), Text("Four."))
    chat.ask("What is two and two?")
    expect(chat.thinking).to_have_attribute("aria-pressed", "false")
    expect(chat.answer.get_by_role("group", name="Reasoning")).to_have_count(0)

    chat.thinking.click()
    model.answer_chat(Thought("They ask **again**."), gate, Text("Still four."))
    chat.say("Are you sure?")
    reasoning = chat.answer.get_by_role("group", name="Reasoning")
    expect(reasoning.get_by_role("button", name="Thinking…", expanded=True)).to_be_visible()
    expect(reasoning.locator("strong")).to_have_text("again")
    gate.release()
    chat.rests()
    thought_button = reasoning.get_by_role("button", name=re.compile(r"Thought for \d+ s"), expanded=False)
    expect(reasoning.locator("strong")).to_have_count(0)
    thought_button.click()
    expect(reasoning.locator("strong")).to_be_visible()


def test_a_refusal_of_the_provider_is_one_sentence_and_can_be_tried_again(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Fault.status(400, "Request contains an invalid argument."))
    chat = visit().open()
    chat.composer.fill("Hello?")
    chat.composer.press("Enter")
    alert = chat.page.get_by_role("alert")
    expect(alert).to_have_count(1)
    expect(alert).to_have_text(re.compile(r"^[A-Z][^{}<>]+\.$"))
    model.answer_chat(Text("Hello!"))
    chat.page.get_by_role("button", name="Try again").click()
    expect(chat.answer).to_contain_text("Hello!")
    expect(chat.answers).to_have_count(1)
    expect(chat.questions).to_have_count(1)
    expect(alert).to_have_count(0)


def test_the_text_of_a_model_loads_nothing_and_runs_nothing(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text(HOSTILE))
    chat = visit().open()
    chat.ask(QUESTION)
    expect(chat.answer.get_by_text("a script")).to_be_visible()
    expect(chat.answer.locator("img, script, iframe")).to_have_count(0)
    links = chat.answer.get_by_role("link")
    addresses = [link.get_attribute("href") for link in links.all()]
    assert addresses == ["http://127.0.0.1:9/tracker.png", "https://example.org/"]
    chat.answer.get_by_text("a script").click()
    expect(chat.page).to_have_title(title_pattern(QUESTION))
