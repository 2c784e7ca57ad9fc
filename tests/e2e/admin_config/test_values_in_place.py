"""An admin edits providers' values in the table that compares them: by clicking and by keys, with errors, and beside another admin."""

from __future__ import annotations

import re
from collections.abc import Sequence

from playwright.sync_api import Dialog, Locator, Page, Route, expect

from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.admin_config.test_shared_agents import AGENTS, BASE, DEMO, open_agent, save
from tests.e2e.admin_config.test_two_admins import admins
from tests.e2e.looks import Look
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture

__all__ = ["admins"]

VALUE = re.compile(r"/value/\?place=")
LIVE = re.compile(r"Saved\. Release \d+ is live\.")


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("grid", name="Values of all fields, by provider").get_by_role("row", name=re.compile(f"^{name} "))


def value(page: Page, name: str) -> Locator:
    """The first provider's value, which a click edits."""
    return row(page, name).get_by_role("button").first


def notice(page: Page) -> Locator:
    return page.get_by_role("tabpanel").get_by_role("status").first


def test_a_value_is_overridden_and_given_back_by_clicking(visit: Visit, other_looks: Sequence[Look]) -> None:
    page = visit("alice").page
    open_agent(page, BASE, "By provider")
    expect(value(page, "Temperature")).to_have_accessible_name(re.compile("^From the platform:"))
    value(page, "Temperature").click()
    editor = page.get_by_role("group", name=re.compile("^Temperature, "))
    field = editor.get_by_role("spinbutton")
    expect(field).to_be_focused()
    assert violations_in_both_colours(page) == []
    field.fill("3")
    editor.get_by_role("button", name="Save").click()
    expect(editor.get_by_role("alert")).to_have_text("Ensure this value is less than or equal to 2.0.")
    expect(field).to_have_value("3")
    expect(field).to_be_focused()
    assert violations_in_both_colours(page) == []
    picture(page, "agent-value-error-light", of=row(page, "Temperature"))
    field.fill("0.4")
    editor.get_by_role("button", name="Save").click()
    expect(notice(page)).to_have_text(LIVE)
    expect(value(page, "Temperature")).to_have_accessible_name("Set here: 0.4")
    expect(value(page, "Temperature")).to_be_focused()
    expect(row(page, "Temperature").get_by_role("link").first).to_have_accessible_name(re.compile("^From the platform:"))
    expect(editor).to_have_count(0)
    expect(page.get_by_role("tab", name="By provider", exact=True)).to_be_visible()  # and not "By provider, changed"

    value(page, "Drop empty answers").click()
    page.get_by_role("group", name=re.compile("^Drop empty answers, ")).get_by_role("combobox").select_option("Off")
    page.get_by_role("button", name="Cancel").click()
    expect(value(page, "Drop empty answers")).to_have_accessible_name("From the platform: On")

    page.reload()
    page.get_by_role("button", name="Only what is set").click()
    for dark, phone in other_looks:
        looked_at = visit("alice", dark=dark, phone=phone).page
        looked_at.goto(page.url)
        value(looked_at, "Temperature").click()
        expect(looked_at.get_by_role("group", name=re.compile("^Temperature, "))).to_be_visible()
        assert violations(looked_at) == []
        assert looked_at.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"

    value(page, "Temperature").click()
    page.get_by_role("button", name="Use the base").click()
    expect(notice(page)).to_have_text(LIVE)
    expect(row(page, "Temperature")).to_be_hidden()
    expect(page.get_by_role("button", name="Only what is set")).to_be_focused()


def test_a_value_is_overridden_and_given_back_by_keys(visit: Visit) -> None:
    page = visit("alice").page
    open_agent(page, BASE, "By provider")
    row(page, "Temperature").get_by_role("link").first.focus()
    page.keyboard.press("ArrowRight")
    expect(value(page, "Temperature")).to_be_focused()
    page.keyboard.press("Enter")
    field = page.get_by_role("group", name=re.compile("^Temperature, ")).get_by_role("spinbutton")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(value(page, "Temperature")).to_be_focused()
    page.keyboard.press("Space")
    expect(field).to_be_focused()
    page.keyboard.type("0.7")
    page.keyboard.press("Enter")
    expect(value(page, "Temperature")).to_have_accessible_name("Set here: 0.7")
    expect(value(page, "Temperature")).to_be_focused()
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Use the base")).to_be_focused()
    page.keyboard.press("Enter")
    expect(value(page, "Temperature")).to_have_accessible_name(re.compile("^From the platform:"))
    expect(value(page, "Temperature")).to_be_focused()


def test_what_is_typed_in_a_cell_is_not_sent_with_the_page(visit: Visit) -> None:
    page = visit("alice").page
    open_agent(page, BASE, "By provider")
    value(page, "Max steps").click()
    page.get_by_role("group", name=re.compile("^Max steps, ")).get_by_role("spinbutton").fill("3")
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
    expect(row(page, "Max steps").get_by_role("link").first).to_have_accessible_name(re.compile("^From the platform:"))
    expect(value(page, "Max steps")).to_have_accessible_name(re.compile("^From the platform:"))


def editor_of(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=re.compile(f"^{name}, "))


def open_with_two_providers(page: Page) -> Locator:
    """Give Google's agent a value, so that it has a column. Return the providers' values of *Max steps*, without one that is edited."""
    page.goto(AGENTS)
    page.get_by_role("link", name="More providers").click()
    page.get_by_role("link", name="chat_model_agent_google", exact=True).click()
    page.get_by_role("tab", name=re.compile("^Limits")).click()
    page.get_by_role("spinbutton", name="Max steps").fill("4")
    save(page)
    open_agent(page, BASE, "By provider")
    return row(page, "Max steps").get_by_role("button", name=re.compile("^(Set here|From the platform):"))


def give_back(page: Page, name: str, cells: Sequence[Locator]) -> None:
    for cell in cells:
        cell.click()
        editor_of(page, name).get_by_role("button", name="Use the base").click()
        expect(cell).to_have_accessible_name(re.compile("^From the platform:"))


def test_a_typed_value_stays_beside_another_cell(visit: Visit) -> None:
    page = visit("alice", fresh="a listener for the browser's question").page
    cells = open_with_two_providers(page)
    cells.nth(0).click()
    editor_of(page, "Max steps").get_by_role("spinbutton").fill("7")
    value(page, "Temperature").click()
    temperature = editor_of(page, "Temperature").get_by_role("spinbutton")
    expect(temperature).to_be_focused()
    expect(editor_of(page, "Max steps").get_by_role("spinbutton")).to_have_value("7")

    cells.nth(0).click()  # the next provider's: the first one's has no link while it is edited
    steps = editor_of(page, "Max steps").get_by_role("spinbutton")
    expect(steps).to_have_count(2)
    expect(temperature).to_have_count(0)  # nothing was typed there
    steps.last.fill("9")
    assert violations_in_both_colours(page) == []
    page.get_by_role("button", name="Only what is set").click()
    expect(steps.first).to_be_visible()
    page.get_by_role("button", name="Only what is set").click()

    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Save and continue editing").click()
    expect(steps.first).to_have_value("7")  # the browser asked, and the page stays
    steps.last.press("Enter")
    expect(notice(page)).to_have_text(LIVE)
    expect(cells.nth(0)).to_have_accessible_name("Set here: 9")
    expect(steps).to_have_value("7")
    steps.press("Enter")
    expect(cells.nth(0)).to_have_accessible_name("Set here: 7")
    expect(cells.nth(1)).to_have_accessible_name("Set here: 9")

    dialog_types: list[str] = []

    def leave(dialog: Dialog) -> None:
        dialog_types.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.reload()
    page.remove_listener("dialog", leave)
    expect(cells.nth(1)).to_have_accessible_name("Set here: 9")
    assert dialog_types == []
    give_back(page, "Max steps", [cells.nth(0), cells.nth(1)])


def hold_saves(page: Page) -> list[Route]:
    """Return the saves of values, which wait in the browser until they are continued. Editors come as ever."""
    routes: list[Route] = []
    page.route(VALUE, lambda route: routes.append(route) if route.request.method == "POST" else route.continue_())
    return routes


def test_a_refused_save_leaves_the_focus_where_somebody_types(visit: Visit) -> None:
    page = visit("alice").page
    open_agent(page, BASE, "By provider")
    saves = hold_saves(page)
    value(page, "Temperature").click()
    temperature = editor_of(page, "Temperature").get_by_role("spinbutton")
    temperature.fill("3")
    temperature.press("Enter")
    value(page, "Max steps").click()
    steps = editor_of(page, "Max steps").get_by_role("spinbutton")
    expect(steps).to_be_focused()
    page.keyboard.type("1")
    saves.pop().continue_()
    expect(editor_of(page, "Temperature").get_by_role("alert")).to_be_visible()
    expect(temperature).to_be_editable()
    expect(steps).to_be_focused()
    page.keyboard.type("2")
    expect(steps).to_have_value("12")

    temperature.press("Enter")
    tab = page.get_by_role("tab", name="By provider", exact=True)
    tab.focus()
    value(page, "Max output tokens").click()  # its editor comes after the save was sent
    expect(editor_of(page, "Max output tokens")).to_be_visible()
    tab.focus()
    saves.pop().continue_()
    expect(temperature).to_be_editable()
    expect(tab).to_be_focused()


def test_a_cell_that_is_asked_for_while_its_row_is_saved_opens_in_the_newer_row(visit: Visit) -> None:
    page = visit("alice").page
    cells = open_with_two_providers(page)
    cells.nth(0).click()
    editor_of(page, "Max steps").get_by_role("spinbutton").fill("7")
    routes: list[Route] = []

    def save_first(route: Route) -> None:
        routes.append(route)
        if route.request.method == "GET":
            routes[0].continue_()

    page.route(VALUE, save_first)
    page.keyboard.press("Enter")
    cells.nth(0).click()  # the next provider's
    expect(cells.nth(0)).to_have_accessible_name("Set here: 7")
    routes[1].continue_()
    steps = editor_of(page, "Max steps").get_by_role("spinbutton")
    expect(steps).to_have_value("4")
    expect(steps).to_be_focused()
    page.unroute(VALUE)
    page.keyboard.press("Escape")
    give_back(page, "Max steps", [cells.nth(0), cells.nth(1)])


def test_what_is_chosen_during_a_save_and_a_strange_answer_lose_nothing(visit: Visit) -> None:
    page = visit("alice").page
    open_agent(page, BASE, "By provider")
    value(page, "Drop empty answers").click()
    editor = editor_of(page, "Drop empty answers")
    page.route(VALUE, lambda route: route.fulfill(status=200, body="<p>Hello</p>"))
    editor.get_by_role("combobox").select_option("Off")
    editor.get_by_role("button", name="Save").click()
    expect(notice(page)).to_have_text("The server could not do this. Try again.")
    page.unroute(VALUE)

    saves = hold_saves(page)
    editor.get_by_role("button", name="Save").click()
    editor.get_by_role("combobox").select_option("On")
    expect(editor.get_by_role("combobox").get_by_role("option", selected=True)).to_have_text("Off")
    value(page, "Max steps").click()  # its editor comes after the save was sent
    expect(editor_of(page, "Max steps")).to_be_visible()
    saves.pop().continue_()
    expect(value(page, "Drop empty answers")).to_have_accessible_name("Set here: Off")
    page.unroute(VALUE)
    give_back(page, "Drop empty answers", [value(page, "Drop empty answers")])


def test_two_admins_edit_the_same_value(admins: tuple[Page, Page]) -> None:
    alice, vera = admins
    for page in admins:
        open_agent(page, BASE, "By provider")
        value(page, "Temperature").click()
    fields = [page.get_by_role("group", name=re.compile("^Temperature, ")).get_by_role("spinbutton") for page in admins]
    fields[1].fill("0.2")
    fields[1].press("Enter")
    expect(value(vera, "Temperature")).to_have_accessible_name("Set here: 0.2")
    expect(vera.get_by_text("Draft: 1 change")).to_be_visible()
    fields[0].fill("0.9")
    fields[0].press("Enter")
    expect(alice.get_by_role("alert")).to_contain_text(
        re.compile(r"Vera.* changed it to 0\.2 meanwhile\. Save again to put yours over it\.")  # other tests give her a second name
    )
    expect(fields[0]).to_have_value("0.9")
    fields[0].press("Enter")
    expect(value(alice, "Temperature")).to_have_accessible_name("Set here: 0.9")
    open_agent(alice, DEMO, "Model")
    expect(alice.get_by_role("spinbutton", name="Temperature")).to_be_visible()
