"""Members and organizations as people meet them: an invitation, the switcher, the profile, the admin's pages of members."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, expect

from tests.e2e.accessibility import violations
from tests.e2e.pages import Visit, sign_in

MEMBERS = "/o/acme/admin/tenants/membership/"
INVITE = "/o/acme/admin/accounts/invitation/add/"


def test_an_invited_person_joins_by_a_link_and_is_removed_again(visit: Visit) -> None:
    admin = visit("alice").page
    admin.goto(f"{INVITE}?way=link")
    admin.get_by_label("Name").fill("Summer school")
    admin.get_by_role("button", name="Create link").click()
    link = admin.get_by_label("Summer school").input_value()

    nina = visit(None).page
    nina.goto(link)
    expect(nina.get_by_role("heading", name="Alice invited you to Acme")).to_be_visible()
    assert violations(nina) == []
    nina.get_by_role("link", name="Sign in to join").click()
    sign_in(nina, "nina@example.org")
    nina.get_by_role("button", name="Join Acme").click()
    expect(nina.get_by_role("textbox", name="Message", exact=True)).to_be_visible()

    admin.goto(MEMBERS)
    admin.get_by_role("link", name="Nina", exact=True).click()
    admin.get_by_role("link", name="Deactivate or remove").click()
    assert violations(admin) == []
    admin.get_by_role("button", name="Remove", exact=True).click()
    expect(admin.get_by_text("Nina was removed.")).to_be_visible()
    nina.goto("/o/acme/")
    expect(nina.get_by_role("heading", name="Page not found")).to_be_visible()


def test_several_members_change_groups_with_the_list(visit: Visit) -> None:
    admin = visit("alice").page
    admin.goto("/o/acme/admin/tenants/membergroup/add/")
    admin.get_by_label("Name").fill("Sales")
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("successfully").first).to_be_visible()
    admin.goto(MEMBERS)
    for name in ("Bob", "Vera"):
        admin.get_by_role("row", name=re.compile(name)).get_by_role("checkbox").check()
    admin.get_by_role("combobox").select_option("Into the group Sales")
    admin.get_by_role("button", name="Run").click()
    expect(admin.get_by_role("row", name=re.compile("Vera"))).to_contain_text("Sales")
    assert violations(admin) == []


def picture() -> FilePayload:
    content = io.BytesIO()
    Image.new("RGB", (400, 300), "teal").save(content, "PNG")
    return {"name": "me.png", "mimeType": "image/png", "buffer": content.getvalue()}


def test_a_person_has_a_name_and_a_picture_and_can_keep_the_account(visit: Visit) -> None:
    chat = visit("vera").open()
    page = chat.page
    dialog = chat.settings("Profile")
    dialog.get_by_role("textbox", name="Name").fill("Vera Vista")
    dialog.get_by_label("Time zone").select_option("Europe/Berlin")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("button", name="Save")).to_be_disabled()
    dialog.get_by_label("Picture").set_input_files([picture()])
    expect(dialog.locator("img")).to_have_js_property("naturalWidth", 256)
    page.get_by_role("dialog", name="Settings").get_by_role("button", name="Data", exact=True).click()
    dialog = chat.section("Data")
    dialog.get_by_role("button", name="Delete account").click()
    dialog.get_by_label("Type vera@example.org").fill("vera@example.org")
    dialog.get_by_role("button", name="Delete my account").click()
    dialog.get_by_role("button", name="Keep it").click()
    expect(dialog.get_by_role("button", name="Delete account")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Settings")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Vera Vista")).to_be_visible()


def test_a_person_gets_their_data_as_a_zip_file(visit: Visit) -> None:
    chat = visit("vera").open()
    page = chat.page
    section = chat.settings("Data").get_by_role("region", name="Your data")
    section.get_by_role("button", name="Export my data").click()
    link = section.get_by_role("link", name="Download")
    expect(link).to_be_visible()
    assert violations(page) == []
    with page.expect_download() as download:
        link.click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert "vera@example.org" in archive.read("profile.json").decode()


@pytest.mark.parametrize("phone", [False, True])
def test_the_organization_is_at_the_foot_of_the_sidebar(visit: Visit, phone: bool) -> None:
    chat = visit("alice", phone=phone).open()
    if phone:
        chat.page.get_by_role("button", name="Show sidebar").click()
    chat.page.get_by_role("button", name=re.compile("Acme.*organizations")).click()
    expect(chat.page.get_by_role("menuitem", name="Acme Current")).to_be_visible()
    assert violations(chat.page) == []
    chat.page.get_by_role("menuitem", name="Leave Acme").click()
    dialog = chat.page.get_by_role("dialog", name="Leave Acme?")
    dialog.get_by_role("button", name="Leave").click()
    expect(dialog.get_by_role("alert")).to_contain_text("only owner")
