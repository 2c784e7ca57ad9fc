"""Files in the composer and in messages: dropped, chosen, kept, sent, shown again."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.files.documents import pdf

NOTES = b"# Tea\n\nGreen tea is steamed."


def picture(width: int = 320, height: int = 240) -> bytes:
    """A PNG with a gradient."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(
        b"\0" + bytes(value for x in range(width) for value in (x * 255 // width, y * 255 // height, 160)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


DRAG = """([kind, files]) => {
  const carried = new DataTransfer()
  for (const [name, content] of files)
    carried.items.add(new File([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], name))
  document.querySelector('textarea').dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: carried }))
}"""


def drag(page: Page, kind: str, **files: bytes) -> None:
    """Hold the files over the page ("dragover") or let them go ("drop"); `name_ext` stands for name.ext."""
    page.evaluate(DRAG, [kind, [[name.replace("_", "."), base64.b64encode(content).decode()] for name, content in files.items()]])


def chips(page: Page) -> Locator:
    return page.get_by_role("list", name="Files to send").get_by_role("listitem")


def preview(place: Locator, name: str) -> Locator:
    """The dialog of a file, opened by its button in `place`."""
    place.get_by_role("button", name=f"Show {name}").click()
    return place.page.get_by_role("dialog", name=name)


def test_dropped_files_survive_a_reload_are_read_by_the_model_and_stay_in_the_conversation(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("A picture and a note."))
    chat = visit().open()
    page = chat.page

    drag(page, "dragover", notes_md=NOTES)
    expect(page.get_by_text("Drop files to attach them")).to_be_visible()
    drag(page, "drop", notes_md=NOTES, cup_png=picture(), tea_pdf=pdf("All about tea.", "Second page."))
    expect(page.get_by_text("Drop files to attach them")).to_have_count(0)
    expect(chips(page)).to_have_count(3)
    expect(chips(page).filter(has_text="tea.pdf").get_by_role("status")).to_have_text("862 B")  # and not "Reading…" any more
    page.reload()
    expect(chips(page)).to_have_count(3)
    assert violations(page) == []
    opener = chips(page).get_by_role("button", name="Show tea.pdf")
    opener.focus()
    page.keyboard.press("Space")
    look = page.get_by_role("dialog", name="Preview of tea.pdf")
    expect(look).to_contain_text("Page 1 of 2")
    assert violations(page) == []
    look.get_by_role("button", name="Next page").click()
    expect(look).to_contain_text("Second page.")
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    opener.hover()
    expect(look).to_contain_text("All about tea.")
    look.get_by_role("button", name="Show in full").click()
    expect(look).to_have_count(0)
    expect(page.get_by_role("dialog", name="tea.pdf")).to_contain_text("PDF, as text")
    page.keyboard.press("Escape")
    before = preview(chips(page), "tea.pdf")
    expect(before.get_by_role("region", name="Page 2")).to_contain_text("Second page.")
    expect(before).to_contain_text("PDF, as text")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(chips(page).get_by_role("button", name="Show tea.pdf")).to_be_focused()
    expect(preview(chips(page), "cup.png").locator("img")).to_have_js_property("naturalWidth", 320)
    page.keyboard.press("Escape")

    chat.ask("What is this?")
    expect(chips(page)).to_have_count(0)
    contents = json.dumps(json.loads(model.chat_requests[0].raw)["contents"])
    assert "Green tea is steamed." in contents
    for _ in range(2):
        expect(chat.questions.get_by_role("button", name="Show cup.png").locator("img")).to_have_js_property("naturalWidth", 320)
        expect(chat.questions.get_by_role("button", name="Download notes.md")).to_be_enabled()
        assert violations(page) == []
        page.reload()

    chat.questions.get_by_role("button", name="Show cup.png").press("Enter")
    expect(page.get_by_role("dialog", name="cup.png").locator("img")).to_have_js_property("naturalWidth", 320)
    page.keyboard.press("Escape")
    notes = preview(chat.questions, "notes.md")
    expect(notes.get_by_role("region", name="Text of notes.md")).to_contain_text("Green tea is steamed.")
    assert violations(page) == []
    with page.expect_download() as download:
        notes.get_by_role("button", name="Download notes.md").click()
    assert (download.value.suggested_filename, Path(download.value.path()).read_bytes()) == ("notes.md", NOTES)


def test_what_cannot_be_attached_says_why_and_files_alone_can_be_sent(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("A note."))
    chat = visit().open()
    page = chat.page
    expect(chat.send_button).to_be_disabled()

    with page.expect_file_chooser() as chooser:
        chat.add("Add files")
    chooser.value.set_files(
        [
            FilePayload(name="page.png", mimeType="image/png", buffer=b"<script>alert(1)</script>"),
            FilePayload(name="notes.md", mimeType="text/markdown", buffer=NOTES),
        ]
    )
    expect(chips(page).get_by_role("alert")).to_have_text("The content of this file is not what its name says.")
    expect(chat.send_button).to_be_enabled()
    page.get_by_role("button", name="Remove page.png").press("Enter")
    expect(chips(page)).to_have_count(1)

    chat.composer.press("Enter")
    expect(chat.answer).to_contain_text("A note.")
    expect(chat.questions.get_by_role("button", name="Download notes.md")).to_be_enabled()
