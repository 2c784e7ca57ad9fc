"""When an edit becomes a version: one for each time of writing, not one for each pause."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.artifacts.test_artifacts_editing import open_editor, write_line
from tests.e2e.artifacts.test_documents import with_document
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider


def test_two_quiet_minutes_and_closing_make_a_version_and_a_pause_does_not(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit(fresh="a clock that the test moves"), model)
    panel, clock = chat.panel, chat.page.clock
    clock.install()
    chat.page.reload()
    chat.open_document("Tea")
    open_editor(panel)
    write_line(panel, "Wait. ")
    clock.fast_forward("01:30")
    write_line(panel, "Then: ")
    clock.fast_forward("01:30")
    panel.shows_version(1, of=1)
    clock.fast_forward("00:40")
    panel.shows_version(2, of=2)
    expect(panel.saved_label).to_be_visible()
    write_line(panel, "Slowly. ")
    with chat.page.expect_response("**/api/artifacts/*/versions/") as response:
        panel.close.click()
    assert response.value.ok
    chat.open_document("Tea")
    panel.shows_version(3, of=3)
    expect(panel.editor).to_contain_text("Slowly. Then: Wait. Drink it hot.")
