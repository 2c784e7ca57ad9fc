"""Images that a model makes: seen in the answer as they come and after a reload, opened, downloaded; from a sub-agent, too."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from doubles.demo.pictures import WIDTH, chart
from doubles.script import Picture, Text
from tests.e2e.accessibility import violations
from tests.e2e.looks import LOOKS
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider


@LOOKS
def test_a_picture_stands_in_the_answer_and_can_be_opened_and_downloaded(
    visit: Visit, model: ScriptedProvider, dark: bool, phone: bool
) -> None:
    model.answer_chat(Text("Here it is:\n\n"), Picture(chart()), Picture(b"no picture"), Text("Seven bars."))
    chat = visit(dark=dark, phone=phone).open()
    page = chat.page
    chat.composer.fill("Show me the numbers")
    chat.send_button.click()
    expect(chat.answer).to_contain_text("Seven bars.")
    chat.rests()
    picture = chat.answer.get_by_role("figure", name="image.png")
    for _ in range(2):
        expect(picture.locator("img")).to_have_js_property("naturalWidth", WIDTH)
        expect(picture).to_contain_text("image.png")
        expect(chat.answer).to_contain_text("could not be kept")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
        page.reload()
    picture.get_by_role("button", name="Show image.png").press("Enter")
    expect(page.get_by_role("dialog", name="image.png").locator("img")).to_have_js_property("naturalWidth", WIDTH)
    page.keyboard.press("Escape")
    with page.expect_download() as download:
        picture.get_by_role("button", name="Download image.png").click()
    assert (download.value.suggested_filename, Path(download.value.path()).read_bytes()) == ("image.png", chart())


def test_the_demo_draws_a_picture(visit: Visit, model: ScriptedProvider) -> None:
    model.use_demo_script()
    chat = visit().open()
    chat.ask("Draw a picture of a tree")
    expect(chat.answer.get_by_role("figure", name="image.png").locator("img")).to_have_js_property("naturalWidth", WIDTH)


def test_a_picture_that_could_not_be_asked_for_comes_later(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Picture(chart()), Text("Seven bars."))
    chat = visit().open()
    chat.ask("Show me the numbers")
    chat.page.route("**/api/files/*/", lambda route: route.fulfill(status=503), times=1)
    with chat.page.expect_response(lambda response: response.status == 503):
        chat.page.reload()
    expect(chat.answer.get_by_role("figure", name="image.png").locator("img")).to_have_js_property("naturalWidth", WIDTH)
