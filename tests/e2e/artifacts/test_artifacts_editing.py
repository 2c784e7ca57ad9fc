"""The panel is a place to work in: what is typed there is never lost, whoever else writes."""

from __future__ import annotations

import io
import re
from pathlib import Path

from PIL import Image
from playwright.sync_api import FilePayload, Route, expect

from doubles.script import Text
from doubles.signals import Gate
from tests.e2e.accessibility import violations
from tests.e2e.artifacts.sandbox import add_artifact
from tests.e2e.artifacts.test_documents import with_document
from tests.e2e.pages import ChatPage, DocumentPanel, Visit
from tests.e2e.scripted_provider import ScriptedProvider

SAVING = "**/api/artifacts/*/versions/"


def fail(route: Route) -> None:
    """A server that cannot be reached."""
    if route.request.method == "POST":
        route.abort()
    else:
        route.fallback()


def open_editor(panel: DocumentPanel) -> None:
    panel.view("Markdown")
    expect(panel.editor).to_be_editable()


def write_line(panel: DocumentPanel, text: str) -> None:
    """Put a line before the last one, which says how to drink the tea."""
    panel.editor.get_by_text("Drink it hot.").click()
    panel.editor.press("Home")
    panel.editor.page.keyboard.insert_text(text)


def test_what_is_typed_becomes_a_version_and_is_there_after_a_reload(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit(), model)
    panel = chat.panel
    open_editor(panel)
    write_line(panel, "Wait. ")
    panel.editor.press("Control+s")
    panel.shows_version(2, of=2)
    expect(panel.saved_label).to_be_visible()
    expect(panel.root.get_by_text("Edited by Alice")).to_be_visible()

    chat.page.reload()
    chat.open_document("Tea")
    panel.shows_version(2, of=2)
    expect(panel.text).to_contain_text("Wait. Drink it hot.")
    panel.view("Diff")
    expect(panel.root.get_by_role("insertion")).to_have_text("Wait. Drink it hot.")


def test_two_screens_that_change_the_same_line_choose_what_stays(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit(), model)
    other = ChatPage(chat.context.new_page())
    other.open(f"c/{chat.conversation_id}/")
    other.open_document("Tea")
    open_editor(other.panel)
    other.page.route(SAVING, fail)
    write_line(other.panel, "Never ")
    other.panel.editor.press("Control+s")
    expect(other.panel.root.get_by_text("Not saved: The server cannot be reached")).to_be_visible()
    key = other.page.evaluate("() => Object.keys(localStorage).find((key) => key.includes(':artifact:'))")
    assert "Never Drink it hot." in other.page.evaluate("(key) => localStorage.getItem(key)", key)

    open_editor(chat.panel)
    write_line(chat.panel, "Always ")
    chat.panel.editor.press("Control+s")
    expect(chat.panel.saved_label).to_be_visible()

    other.page.unroute(SAVING)
    other.page.reload()  # what was typed is not lost
    other.open_document("Tea")
    conflict = other.panel.root.get_by_role("region", name="Conflict")
    expect(conflict.get_by_text("Always Drink it hot.")).to_be_visible()
    expect(conflict.get_by_text("Never Drink it hot.")).to_be_visible()
    assert violations(other.page) == []
    conflict.get_by_role("radio", name="Keep both").check()
    conflict.get_by_role("button", name="Save result").click()
    expect(other.panel.text).to_contain_text("Always Drink it hot. Never Drink it hot.")
    expect(other.panel.saved_label).to_be_visible()


def test_while_the_agent_writes_the_text_is_locked_and_says_so(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit(), model)
    panel = chat.panel
    open_editor(panel)
    gate = Gate()
    model.updates_document(chat.artifact_ids[0], Text("# Tea\n\nIt comes from Yun"), gate, Text("nan.\n"))
    chat.say("It comes from Yunnan.")
    expect(panel.root.get_by_text("The agent is writing. You can edit when it is done.")).to_be_visible()
    expect(panel.editor).to_contain_text("It comes from Yun")
    expect(panel.editor).not_to_be_editable()
    expect(chat.composer).to_be_focused()
    gate.release()
    chat.rests()
    panel.shows_version(2, of=2)
    expect(panel.editor).to_be_editable()
    expect(panel.editor).to_contain_text("It comes from Yunnan.")


def test_a_sheet_is_edited_in_a_grid_and_artifacts_are_tabs(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit(), model)
    panel = chat.panel
    add_artifact(chat, "sheet", "Orders", "id,customer\n1,Anna\n")
    chat.page.reload()
    chat.open_document("Tea")
    chat.open_document("Orders")
    grid = panel.root.get_by_role("grid")
    assert violations(chat.page) == []
    grid.get_by_role("gridcell", name="Anna").dblclick()
    chat.page.keyboard.insert_text("Bob")
    chat.page.keyboard.press("Enter")
    chat.page.keyboard.press("Control+s")
    panel.shows_version(2, of=2)
    panel.view("CSV")
    expect(panel.editor).to_contain_text("1,Bob")

    tabs = panel.root.get_by_role("navigation", name="Open documents")
    tabs.get_by_role("button", name="Tea", exact=True).click()
    expect(panel.text).to_contain_text("It comes from China.")
    edge = panel.root.get_by_role("separator", name="Width of the panel")
    edge.press("End")
    expect(edge).to_have_attribute("aria-valuenow", "30")
    tabs.get_by_role("button", name="Close Tea").click()
    expect(panel.editor).to_contain_text("1,Bob")
    expect(tabs).to_have_count(0)


def test_a_member_makes_a_document_and_exports_the_conversation(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Hello."))
    chat = visit().open()
    chat.ask("Hi")
    chat.page.get_by_role("button", name="Documents", exact=True).click()
    chat.page.get_by_role("menuitem", name="Document", exact=True).click()
    chat.panel.shows_version(1, of=1)
    chat.panel.rich_text.click()
    chat.page.keyboard.insert_text("My own words.")
    chat.page.keyboard.press("Control+s")
    chat.panel.shows_version(2, of=2)

    options = chat.sidebar.get_by_role("button", name=re.compile("^Options for ")).first
    options.focus()
    options.press("Enter")
    chat.page.get_by_role("menuitem", name="Export").click()
    chat.page.get_by_label("Plain text that other programs").check()
    with chat.page.expect_download() as started:
        chat.page.get_by_role("button", name="Download").click()
    assert "My own words." in Path(started.value.path()).read_text()


def picture(name: str, *, width: int) -> FilePayload:
    file = io.BytesIO()
    Image.new("RGB", (width, 30), "teal").save(file, "PNG")
    return FilePayload(name=f"{name}.png", mimeType="image/png", buffer=file.getvalue())


def test_a_member_makes_an_image_and_another_picture_becomes_its_next_version(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Hello."))
    chat = visit().open()
    chat.ask("Hi")
    leaf, cup = picture("Leaf", width=40), picture("Cup", width=60)
    with chat.page.expect_file_chooser() as first:
        chat.page.get_by_role("button", name="Documents", exact=True).click()
        item = chat.page.get_by_role("menuitem", name="Image…")
        expect(item).to_be_visible()
        assert violations(chat.page) == []
        item.click()
    first.value.set_files(leaf)
    first_image = chat.panel.root.get_by_role("img", name="Leaf, version 1")
    expect(first_image).to_have_js_property("naturalWidth", 40)
    assert violations(chat.page) == []
    with chat.page.expect_file_chooser() as second:
        chat.panel.root.get_by_role("button", name="Replace").click()
    second.value.set_files(cup)
    expect(chat.panel.root.get_by_role("img", name="Leaf, version 2")).to_have_js_property("naturalWidth", 60)
    expect(chat.panel.root.get_by_text("Edited by Alice")).to_be_visible()
    chat.panel.previous.click()
    expect(first_image).to_have_js_property("naturalWidth", 40)
    chat.panel.restore.click()
    expect(chat.panel.root.get_by_role("img", name="Leaf, version 3")).to_have_js_property("naturalWidth", 40)
    with chat.page.expect_download() as started:
        more = chat.panel.root.get_by_role("button", name="More")
        more.click()
        expect(chat.page.get_by_role("menuitem", name="Rename")).to_be_visible()
        expect(chat.page.get_by_role("menuitem", name="Share")).to_have_count(0)  # its page would show nothing
        chat.page.get_by_role("menuitem", name="Download").click()
    expect(more).to_be_focused()
    assert Path(started.value.path()).read_bytes() == leaf["buffer"]
