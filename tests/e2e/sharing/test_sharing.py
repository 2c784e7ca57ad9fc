"""Sharing by link, as the owner, the admin, another member, another organization and somebody without an account see it."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Route, expect

from doubles.script import Text
from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.artifacts.test_documents import with_document
from tests.e2e.embed.host_page import host_pages
from tests.e2e.layout import small_targets
from tests.e2e.pages import Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider, title_of
from tests.e2e.sharing.share_dialog import POLICY, allow, dialog_of, make_link
from tests.support.system.product import Product

RENAME = """async (title) => {
  const boot = JSON.parse(document.getElementById('boot').textContent)
  const id = location.pathname.split('/').filter(Boolean).pop()
  const headers = { 'Content-Type': 'application/json', 'X-CSRFToken': boot.csrfToken }
  await fetch(`${boot.api}/conversations/${id}/`, { method: 'PATCH', headers, body: JSON.stringify({ title }) })
}"""


def size_of(element: Locator) -> tuple[int, int]:
    """In layout: a dialog is drawn smaller or elsewhere while it opens."""
    width, height = element.evaluate("element => [element.offsetWidth, element.offsetHeight]")
    return width, height


def test_a_conversation_is_shared_with_anyone_and_stopped(visit: Visit, model: ScriptedProvider) -> None:
    allow(visit, "public")
    chat = with_document(visit("bob"), model)
    page = chat.page
    button = page.get_by_role("button", name="Share", exact=True)
    button.focus()
    dialog = dialog_of(page)
    routes: list[Route] = []
    page.route("**/api/shares/preview/*", lambda route: routes.append(route))  # Playwright wants a function
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("status", name="Loading what is shared")).to_be_visible()
    shot(page, "dialog-loading")
    size = size_of(dialog)
    routes.pop().continue_()
    page.unroute("**/api/shares/preview/*")
    expect(dialog.get_by_role("region", name="What others will see")).to_contain_text("1 document")
    assert size_of(dialog) == size
    create, end = dialog.get_by_role("button", name="Create link"), "box => box.getBoundingClientRect().bottom"
    assert dialog.evaluate(end) - create.evaluate(end) < 40  # no empty ground below
    top = dialog.evaluate("box => box.offsetTop")
    assert violations(page) == []
    shot(page, "dialog")
    url = make_link(page, "Anyone with the link")
    shot(page, "dialog-link")
    assert dialog.evaluate("box => box.offsetTop") == top
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Shared", exact=True)).to_be_focused()

    reader = visit(None)
    reader.page.goto(url)
    expect(reader.page.get_by_role("region", name="Tea")).to_contain_text("Drink it hot.")
    assert violations_in_both_colours(reader.page) == []
    shot(reader.page, "page")
    assert reader.context.cookies() == []
    phone = visit(None, dark=True, phone=True).page
    phone.goto(url)
    assert violations(phone) == []
    assert small_targets(phone) == []
    shot(phone, "page-phone")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")

    copy = visit("alice")
    copy.page.goto(url)
    copy.page.get_by_role("link", name="Continue in Parley").click()
    assert violations(copy.page) == []
    shot(copy.page, "continue")
    copy.page.get_by_role("button", name="Continue", exact=True).click()
    expect(copy.questions.last).to_contain_text("Write a document about tea.")
    expect(copy.answer).to_contain_text("It is written.")
    shot(copy.page, "copy")

    data = chat.settings("Data")
    link = data.get_by_role("region", name="Shared links").get_by_role("listitem").filter(has=page.get_by_title(url))
    expect(link).to_contain_text("Opened 3 times")
    assert violations(page) == []
    shot(page, "settings")
    link.get_by_role("combobox", name="End of the link").select_option("7 days from now")
    link.get_by_role("button", name="Stop sharing").click()
    expect(link).to_have_count(0)
    assert reader.page.request.get(url).status == 404

    page.keyboard.press("Escape")
    page.get_by_role("button", name="Share this answer").click()
    expect(dialog.get_by_role("heading", name="Share this answer")).to_be_visible()
    expect(dialog.get_by_text("They see this answer, its question")).to_be_visible()
    assert violations(page) == []
    shot(page, "dialog-answer")
    reader.page.goto(make_link(page, "Anyone with the link"))
    expect(reader.page.get_by_role("heading", name="Write a document about tea.")).to_be_visible()
    expect(reader.page.get_by_text("It is written.")).to_be_visible()
    shot(reader.page, "page-answer")


def test_a_key_is_hidden_before_a_link_is_made(visit: Visit, model: ScriptedProvider) -> None:
    allow(visit, "public")
    model.answer_chat(Text("I wrote to j.weber@northwind.example."))
    chat = visit("bob").open()
    page = chat.page
    chat.ask("Use sk-abcdefghijklmnop1234 and write to j.weber@northwind.example.")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = dialog_of(page)
    preview = dialog.get_by_role("region", name="What others will see")
    create = dialog.get_by_role("button", name="Create link")
    expect(create).to_be_disabled()
    expect(dialog.get_by_role("status")).to_have_text("There is a key or a password in it. Hide it first.")
    assert violations(page) == []
    preview.get_by_role("button", name="Hide: E-mail address").click()
    expect(preview).to_contain_text("I wrote to [removed].")
    expect(create).to_be_disabled()
    preview.get_by_role("button", name="Hide: Key or password").first.click()  # hides all keys, in whichever title it has by now
    expect(preview.get_by_role("button", name="Show again")).to_have_count(3)
    assert violations(page) == []
    shot(page, "dialog-hidden")
    reader = visit(None).page
    reader.goto(make_link(page, "Anyone with the link"))
    expect(dialog.get_by_role("listitem", name="Link to")).to_contain_text("1 text hidden · keys hidden")
    expect(reader.get_by_role("main")).to_contain_text("Use [removed] and write to [removed].")
    expect(reader.get_by_role("main")).to_contain_text("I wrote to [removed].")


def test_what_the_policy_forbids_is_off_and_says_why(visit: Visit, model: ScriptedProvider) -> None:
    admin = visit("alice").page
    admin.goto(POLICY)
    admin.get_by_label("Members only: a link asks for signing in").check()
    admin.get_by_role("button", name="Save").click()
    expect(admin.get_by_text("Saved.")).to_be_visible()
    shot(admin, "policy")
    model.answer_chat(Text("Tea."))
    chat = visit("bob").open()
    chat.ask("What is this?")
    chat.page.get_by_role("button", name="Share", exact=True).click()
    anyone = dialog_of(chat.page).get_by_role("radio", name="Anyone with the link")
    expect(anyone).to_be_disabled()
    expect(anyone).to_have_accessible_name(re.compile("allows links for its members only"))
    assert violations(chat.page) == []


def test_a_title_that_comes_after_the_preview_is_looked_at_first(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Fine."))
    chat = visit("bob").open()
    page = chat.page
    chat.ask("Who is late?")
    expect(chat.row(title_of("Who is late?"))).to_be_visible()
    page.get_by_role("button", name="Share", exact=True).click()
    preview = dialog_of(page).get_by_role("region", name="What others will see")
    expect(preview).to_contain_text(title_of("Who is late?"))
    page.evaluate(RENAME, "Mail to bob@northwind.example")
    dialog_of(page).get_by_role("button", name="Create link").click()
    expect(dialog_of(page).get_by_role("alert")).to_contain_text("has changed since you looked at it")
    expect(preview).to_contain_text("Mail to bob@northwind.example")
    expect(dialog_of(page).get_by_role("listitem", name="Link to")).to_have_count(0)
    shot(page, "dialog-changed")
    assert violations_in_both_colours(page) == []
    preview.get_by_role("button", name="Hide: E-mail address").click()
    make_link(page)
    expect(dialog_of(page).get_by_role("listitem", name="Link to Mail to [removed]")).to_be_visible()


def test_a_document_is_shared_with_members_alone(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit("bob", dark=True), model)
    page = chat.page
    chat.panel.root.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Share").click()
    url = make_link(page, "Always the latest version")
    shot(page, "dialog-dark")
    member = visit("vera")
    member.page.goto(url)
    expect(member.page.get_by_role("region", name="Tea")).to_contain_text("Drink it hot.")
    nobody = visit(None)
    nobody.page.goto(url)
    expect(nobody.page).to_have_url(re.compile("/login/"))
    assert visit("charlie", organization="other").page.request.get(url).status == 404
    dialog_of(page).get_by_role("button", name="Stop sharing").click()
    expect(dialog_of(page).get_by_role("listitem", name="Link to")).to_have_count(0)
    assert member.page.request.get(url).status == 404


def test_a_document_is_shown_by_the_pages_that_its_owner_names_and_by_no_others(
    visit: Visit, model: ScriptedProvider, product: Product, browser: Browser
) -> None:
    allow(visit, "public")
    chat = with_document(visit("bob"), model)
    page = chat.page
    chat.panel.root.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Share").click()
    url = make_link(page, "Anyone with the link", "Always the latest version")
    row = dialog_of(page).get_by_role("listitem", name="Link to")
    row.get_by_role("button", name="Embed in a page").click()
    places = row.get_by_label("Pages that may show it")
    places.fill("wiki.example")
    row.get_by_role("button", name="Save").click()
    expect(row.get_by_role("alert")).to_contain_text("is not an origin")
    files: dict[str, tuple[str, str]] = {}
    with host_pages(files, chat=product.url) as port:
        places.fill(f"http://localhost:{port}")
        row.get_by_role("button", name="Save").click()
        html = row.get_by_role("code").last
        expect(html).to_contain_text("<iframe")
        assert violations(page) == []
        html.scroll_into_view_if_needed()
        shot(page, "frame-dialog")
        files["/"] = "text/html", f"<!doctype html><html lang='en'><title>Wiki</title><body><h1>Wiki</h1>{html.inner_text()}</body></html>"

        def open_frame(host: str, **settings: Any) -> Page:
            page = browser.new_context(reduced_motion="reduce", **settings).new_page()
            page.goto(f"http://{host}:{port}/", wait_until="networkidle")
            return page

        for name, settings in (
            ("frame", {}),
            ("frame-dark", {"color_scheme": "dark"}),
            ("frame-phone", {"viewport": {"width": 390, "height": 700}}),
        ):
            reader = open_frame("localhost", **settings)
            expect(reader.frame_locator("iframe").get_by_role("main")).to_contain_text("Drink it hot.")
            assert violations(reader) == []
            assert reader.context.cookies() == []
            shot(reader, name)
        wiki, foe = open_frame("localhost"), open_frame("127.0.0.1")
        assert [frame.url for frame in foe.frames[1:]] == ["chrome-error://chromewebdata/"]
        row.get_by_role("button", name="Stop sharing").click()
        expect(row).to_have_count(0)
        wiki.reload(wait_until="networkidle")
        assert [frame.url for frame in wiki.frames[1:]] == ["chrome-error://chromewebdata/"]
        assert wiki.request.get(f"{url}frame/").status == 404


def test_a_phone_shares_and_the_list_does_and_an_admin_sees_it(visit: Visit, model: ScriptedProvider) -> None:
    question = "What is shared from the list?"
    model.answer_chat(Text("An answer."))
    chat = visit("bob").open()
    chat.ask(question)
    page = visit("bob", phone=True).open(f"c/{chat.conversation_id}/").page
    page.get_by_role("button", name="Share", exact=True).click()
    make_link(page)
    assert violations(page) == []
    shot(page, "dialog-phone")
    chat.options(title_of(question), "Share")
    expect(dialog_of(chat.page).get_by_role("listitem", name="Link to")).to_have_count(1)
    chat.page.keyboard.press("Escape")
    expect(dialog_of(chat.page)).to_have_count(0)
    admin = visit("alice").page
    admin.goto("/o/acme/admin/sharing/share/")
    expect(admin.get_by_role("row", name=title_of(question))).to_be_visible()
    shot(admin, "admin")
