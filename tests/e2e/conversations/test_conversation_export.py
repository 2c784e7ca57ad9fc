"""A whole conversation as a file, as its owner gets it from the chat's menu."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path

from docx import Document
from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.artifacts.test_documents import with_document
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider


def open_dialog(chat: ChatPage) -> None:
    options = chat.sidebar.get_by_role("button", name=re.compile("^Options for ")).first
    options.focus()
    options.press("Enter")
    chat.page.get_by_role("menuitem", name="Export").click()


def download(chat: ChatPage, *choices: str) -> Path:
    """Choose these in the open dialog, and return where the file is."""
    dialog = chat.page.get_by_role("dialog", name="Export this chat")
    for choice in choices:
        dialog.get_by_label(choice).check()
    with chat.page.expect_download() as started:
        dialog.get_by_role("button", name="Download").click()
    expect(dialog).to_have_count(0)
    return Path(started.value.path())


def test_a_conversation_is_exported_with_its_other_branches_and_all_versions(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit("bob"), model)
    model.answer_chat(Text("Another answer, which is **shown**."))
    chat.page.get_by_role("button", name="Regenerate").last.click()
    expect(chat.answer).to_contain_text("Another answer")
    chat.rests()
    open_dialog(chat)
    expect(chat.page.get_by_label("As shown")).to_be_checked()
    assert violations(chat.page) == []
    shot(chat.page, "export")
    document = Document(str(download(chat, "Word", "Other versions, too")))
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert [text for text in texts if text.startswith("Branch ")] == ["Branch 1", "Branch 2"]
    assert "Another answer, which is shown." in texts
    open_dialog(chat)
    plain_text = download(chat, "Plain text that other programs").read_text()
    assert "Another answer, which is **shown**." in plain_text
    assert "Branch 2" not in plain_text
    open_dialog(chat)
    chat.page.get_by_label("ZIP with all documents").check()
    shot(chat.page, "export-zip")
    with zipfile.ZipFile(download(chat, "All versions")) as archive:
        assert "documents/Tea/version 1.md" in archive.namelist()
        assert "Drink it hot." in archive.read("documents/Tea/version 1.md").decode()
    expect(chat.page.get_by_text("was downloaded.").last).to_be_visible()
    stranger = visit("charlie", organization="other").page
    for place in ("acme", "other"):
        assert stranger.request.get(f"/o/{place}/api/conversations/{chat.conversation_id}/export/?format=json").status == 404, place
    if os.environ.get("SHOTS"):
        for name, window in (("export-dark", visit("bob", dark=True)), ("export-phone", visit("bob", phone=True))):
            again = window.open(f"c/{chat.conversation_id}/")
            if name == "export-phone":
                again.page.get_by_role("button", name="Show sidebar").click()
            open_dialog(again)
            again.page.get_by_label("ZIP with all documents").check()
            shot(again.page, name)
