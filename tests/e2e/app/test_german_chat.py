"""An answer, its document and the message box in another language than English."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.artifacts.test_documents import with_two_versions
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

FITS = "document.documentElement.scrollWidth <= innerWidth"


def test_an_answer_and_its_document_are_read_in_german_on_a_desktop_and_a_phone(visit: Visit, model: ScriptedProvider) -> None:
    address = with_two_versions(visit(), model).page.url
    for phone in (False, True):
        is_read_in_german(visit(phone=phone).page, address)


def is_read_in_german(page: Page, address: str) -> None:
    page.context.set_extra_http_headers({"Accept-Language": "de-DE,de;q=0.9"})
    page.goto(address)
    expect(page.get_by_role("textbox", name="Nachricht", exact=True)).to_have_attribute(
        "placeholder", "Frage stellen oder Auftrag beschreiben"
    )
    answer = page.get_by_role("article", name="Assistent").last
    document = answer.get_by_role("button", name="Tea Aktualisiert · Version 2")
    document.click()
    panel = page.get_by_role("complementary").or_(page.get_by_role("dialog"))
    expect(panel.get_by_text("Version 2 von 2", exact=True)).to_be_visible()
    assert page.evaluate(FITS)
    assert violations(page) == []

    panel.get_by_role("button", name="Vergleich", exact=True).click()
    expect(panel.get_by_role("combobox", name="Von")).to_have_value("1")
    panel.get_by_role("button", name="Markdown", exact=True).click()
    panel.get_by_role("textbox", name="Tea, Quelltext").press("Control+f")
    expect(panel.get_by_role("textbox", name="Suchen")).to_be_visible()
    assert page.evaluate(FITS)
