"""What a user does to single messages: edit, answer again, go between branches, delete, rate, quote."""

from __future__ import annotations

import re

from playwright.sync_api import FilePayload, expect

from chat.models import MAX_COMMENT_CHARS, MessageFeedback
from doubles.script import Text
from doubles.signals import Gate
from tests.e2e.accessibility import violations
from tests.e2e.chat.test_read_aloud import UTTERANCES, VOICE
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider

# What a program such as Word takes from the clipboard.
COPIED_HTML = "async () => (await (await navigator.clipboard.read())[0].getType('text/html')).text()"


def answered_chat(visit: Visit, model: ScriptedProvider, question: str = "Which tea?", answer: str = "Green tea.") -> ChatPage:
    model.answer_chat(Text(answer))
    chat = visit().open()
    chat.ask(question)
    return chat


def test_an_edited_question_keeps_the_former_one_beside_it_and_escape_leaves_it_as_it_was(visit: Visit, model: ScriptedProvider) -> None:
    chat = answered_chat(visit, model)
    chat.questions.hover()
    chat.questions.get_by_role("button", name="Edit and send again").click()
    editor = chat.page.get_by_role("textbox", name="Edit message")
    editor.fill("Something else")
    editor.press("Escape")
    expect(chat.questions).to_contain_text("Which tea?")
    expect(chat.questions).to_be_focused()

    model.answer_chat(Text("Black tea."))
    chat.composer.press("ArrowUp")
    expect(editor).to_be_focused()
    expect(editor).to_have_value("Which tea?")
    expect(chat.page.get_by_role("button", name="Send", exact=True).first).to_be_disabled()
    expect(chat.questions).to_contain_text(re.compile("What you have now stays under . 1/2 ."))
    editor.fill("Which **other** tea?")
    editor.press("Enter")
    expect(chat.answer).to_contain_text("Black tea.")
    expect(chat.questions.locator("strong")).to_have_text("other")

    former = chat.questions.get_by_role("group", name="Branch 2 of 2")
    former.get_by_role("button", name="Previous branch").click()
    expect(chat.answer).to_contain_text("Green tea.")
    chat.page.reload()
    expect(chat.questions).to_contain_text("Which tea?")
    expect(chat.questions.get_by_role("group", name="Branch 1 of 2")).to_be_visible()


def test_a_former_answer_is_one_click_away_here_and_in_another_tab(visit: Visit, model: ScriptedProvider) -> None:
    chat = answered_chat(visit, model)
    other = ChatPage(chat.context.new_page()).open(f"c/{chat.conversation_id}/")
    expect(other.answer).to_contain_text("Green tea.")
    model.answer_chat(Text("White tea."))
    chat.answer.get_by_role("button", name="Regenerate").click()
    expect(chat.answer).to_contain_text("White tea.")
    branches = chat.answer.get_by_role("group", name="Branch 2 of 2")
    expect(branches).to_be_visible()
    expect(other.answer).to_contain_text("White tea.")
    chat.answer.get_by_role("button", name="Copy answer").focus()
    chat.page.keyboard.press("[")
    expect(chat.answer).to_contain_text("Green tea.")
    expect(other.answer).to_contain_text("Green tea.")


def test_a_deleted_answer_leaves_the_question(visit: Visit, model: ScriptedProvider) -> None:
    chat = answered_chat(visit, model)
    chat.answer.get_by_role("button", name="Delete answer").click()
    dialog = chat.page.get_by_role("alertdialog")
    expect(dialog).not_to_contain_text("below it")
    dialog.get_by_role("button", name="Delete").click()
    expect(chat.answers).to_have_count(0)
    model.answer_chat(Text("Red tea."))
    chat.page.get_by_role("button", name="Try again").click()
    expect(chat.answer).to_contain_text("Red tea.")


def test_a_question_and_an_answer_are_copied_as_they_were_written_and_a_deleted_question_takes_its_answer(
    visit: Visit, model: ScriptedProvider
) -> None:
    question, answer = "Which **tea**?\n\n```python\nbrew(80)\n```", "*Green* tea."
    chat = answered_chat(visit, model, question, answer)
    chat.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(chat.questions.locator("pre")).to_contain_text("brew(80)")
    for button, text in (("Copy message", question), ("Copy answer", answer)):
        chat.page.get_by_role("button", name=button).click()
        chat.page.wait_for_function("async text => await navigator.clipboard.readText() === text", arg=text)
    html = chat.page.evaluate(COPIED_HTML)
    assert "<p><em>Green</em> tea.</p>" in html
    assert "data-parley-copy" in html  # by which our own editor knows it, and reads the Markdown
    chat.page.evaluate(
        "() => { navigator.clipboard.write = navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError')) }"
    )
    chat.page.get_by_role("button", name="Copy answer").click()
    expect(chat.page.get_by_text("does not let the page copy text")).to_be_visible()
    model.answer_chat(Text("Black tea."))
    chat.ask("And then?")
    chat.questions.last.hover()
    chat.questions.last.get_by_role("button", name="Delete message").click()
    dialog = chat.page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("Everything below it is deleted, too. Other branches")
    dialog.get_by_role("button", name="Delete").click()
    expect(chat.questions).to_have_count(1)
    expect(chat.answer).to_contain_text("Green tea.")
    chat.page.reload()
    expect(chat.answer).to_contain_text("Green tea.")
    assert chat.stored_texts == [question, answer]


def test_a_thumb_counts_at_once_and_its_reasons_are_kept(visit: Visit, model: ScriptedProvider) -> None:
    chat = answered_chat(visit, model)
    chat.answer.get_by_role("button", name="Bad answer").click()
    form = chat.page.get_by_role("dialog", name="What was wrong?")
    expect(form.get_by_role("group", name="Reasons").get_by_role("button")).to_have_text([*map(str, MessageFeedback.Reason.labels)])
    form.get_by_role("button", name="Not correct").click()
    comment = form.get_by_role("textbox", name="Comment")
    comment.fill("t" * (MAX_COMMENT_CHARS + 3))
    expect(form.get_by_text("3 characters too many")).to_be_visible()
    expect(form.get_by_role("button", name="Send")).to_be_disabled()
    comment.fill("It is oolong.")
    form.get_by_role("button", name="Send").click()
    expect(form).to_be_hidden()
    chat.page.reload()
    expect(chat.answer.get_by_role("button", name="Bad answer")).to_have_attribute("aria-pressed", "true")
    feedback = chat.conversation["messages"][-1]["metadata"]["feedback"]
    assert feedback == {"rating": "down", "reasons": ["not_correct"], "comment": "It is oolong."}
    chat.answer.get_by_role("button", name="Bad answer").click()
    expect(chat.answer.get_by_role("button", name="Bad answer")).to_have_attribute("aria-pressed", "false")

    good = chat.answer.get_by_role("button", name="Good answer")
    good.click()
    expect(good).to_have_attribute("aria-pressed", "true")
    praise = chat.page.get_by_role("dialog", name="What was good?")
    expect(praise.get_by_role("textbox")).to_have_count(0)  # it only offers
    shot(chat.page, "thumbs-up-offers")
    assert violations(chat.page) == []
    praise.get_by_role("button", name="Add a comment").click()
    expect(praise.get_by_role("textbox", name="Comment")).to_be_focused()
    shot(chat.page, "thumbs-up-asks")
    assert violations(chat.page) == []
    chat.page.keyboard.insert_text("Short and right.")
    praise.get_by_role("button", name="Send").click()
    expect(praise).to_be_hidden()
    expect(good).to_be_focused()
    assert chat.conversation["messages"][-1]["metadata"]["feedback"] == {"rating": "up", "reasons": [], "comment": "Short and right."}


def test_selected_words_are_quoted_in_the_message_box(visit: Visit, model: ScriptedProvider) -> None:
    chat = answered_chat(visit, model, answer="Green tea is lightly oxidised.")
    chat.composer.fill("Is this right?")
    chat.answer.get_by_text("Green tea is lightly oxidised.").select_text()
    chat.page.keyboard.press("Shift")
    chat.page.get_by_role("button", name="Quote", exact=True).click()
    expect(chat.composer).to_have_value("Is this right?\n\n> Green tea is lightly oxidised.\n\n")
    expect(chat.composer).to_be_focused()


def test_selected_words_are_copied_and_heard(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit(fresh="a script of its own")
    chat.page.add_init_script(VOICE)
    chat.context.grant_permissions(["clipboard-read", "clipboard-write"])
    model.answer_chat(Text("Green tea is lightly oxidised.\n\nBlack tea is not."))
    chat.open().ask("Which tea?")
    chat.answer.get_by_text("Black tea is not.").select_text()
    chat.page.keyboard.press("Shift")
    tools = chat.page.get_by_role("toolbar", name="Selected text")
    tools.get_by_role("button", name="Read aloud").click()
    assert chat.page.evaluate(UTTERANCES) == ["Black tea is not."]
    tools.get_by_role("button", name="Stop reading").click()
    tools.get_by_role("button", name="Copy selection").click()
    chat.page.wait_for_function("async text => await navigator.clipboard.readText() === text", arg="Black tea is not.")
    chat.page.evaluate("getSelection().removeAllRanges()")
    expect(tools).to_have_count(0)


def test_an_edited_question_gets_another_file_and_goes_between_its_branches_by_keys(visit: Visit, model: ScriptedProvider) -> None:
    chat = answered_chat(visit, model)
    chat.composer.press("ArrowUp")
    chat.page.get_by_label("Files for this message").set_input_files(
        FilePayload(name="notes.md", mimeType="text/markdown", buffer=b"# Tea")
    )
    files = chat.questions.get_by_role("list", name="Files to send")
    expect(files.get_by_role("listitem")).to_contain_text("5 B")
    model.answer_chat(Text("As your notes say."))
    chat.page.get_by_role("textbox", name="Edit message").press("Enter")
    expect(chat.answer).to_contain_text("As your notes say.")
    expect(chat.questions.get_by_role("button", name="Show notes.md")).to_be_visible()
    chat.rests()
    expect(chat.questions.get_by_role("group", name="Branch 2 of 2")).to_be_visible()
    chat.composer.press("ArrowUp")
    chat.page.get_by_role("textbox", name="Edit message").press("Escape")
    expect(chat.questions).to_be_focused()
    chat.page.keyboard.press("[")
    expect(chat.answer).to_contain_text("Green tea.")
    expect(chat.questions.get_by_role("button", name="Show notes.md")).to_have_count(0)


def test_a_question_is_not_edited_while_an_answer_is_written(visit: Visit, model: ScriptedProvider) -> None:
    gate = Gate()
    model.answer_chat(Text("Gree"), gate, Text("n."))
    chat = visit().open()
    chat.say("Which tea?")
    expect(chat.answer).to_contain_text("Gree")
    expect(chat.questions.get_by_role("button", name=re.compile("Edit|Delete"))).to_have_count(0)
    gate.release()
    chat.rests()
    expect(chat.questions.get_by_role("button", name=re.compile("Edit|Delete"))).to_have_count(2)
