"""Sheets: looking at many rows in another order, and changing one cell of the file."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.artifacts.sandbox import add_artifact
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

ROWS = 100_000


def test_a_sheet_of_many_rows_is_sorted_filtered_and_edited(visit: Visit, model: ScriptedProvider) -> None:
    csv = '"id",n\r\n' + "".join(f"{row},{row * 7919 % 100}\r\n" for row in range(ROWS))
    model.answer_chat(Text("Hello."))
    chat = visit().open()
    chat.ask("Hi")
    add_artifact(chat, "sheet", "Orders", csv)
    chat.page.reload()
    chat.open_document("Orders")
    panel, page = chat.panel, chat.page
    grid = panel.root.get_by_role("grid")
    row_count = panel.root.get_by_text("rows", exact=False).and_(panel.root.get_by_role("status"))
    expect(row_count).to_have_text("100,000 rows")
    expect(grid.get_by_role("columnheader", name="id")).to_be_visible()
    grid.get_by_role("gridcell", name="0", exact=True).first.click()
    page.keyboard.press("Control+End")
    expect(grid.get_by_role("row").last).to_contain_text("99999")
    assert violations(page) == []

    grid.get_by_role("columnheader", name="n", exact=True).click()
    grid.get_by_role("columnheader", name="n", exact=True).click()
    panel.root.get_by_role("combobox", name="Column to filter").select_option(label="id")
    panel.root.get_by_role("searchbox", name="Filter rows").fill("9999")
    expect(row_count).to_have_text("19 of 100,000 rows")
    cells = grid.get_by_role("gridcell")
    expect(cells.nth(1)).to_have_text("99994")
    cells.nth(2).dblclick()
    page.keyboard.insert_text("7")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+s")
    panel.shows_version(2, of=2)
    page.reload()
    chat.open_document("Orders")
    content: str = chat.api(f"artifacts/{chat.artifact_ids[0]}/versions/2/")["content"]
    assert content == csv.replace("\n99994,86\r\n", "\n99994,7\r\n")


def test_formulas_show_what_they_come_to_and_stay_in_the_file(visit: Visit, model: ScriptedProvider) -> None:
    csv = 'item,price,sum\r\ntea,2,=B2*10\r\nmilk,3,=B3*10\r\ncups,5,"=SUM(C2:C3, B4)"\r\n,,=C4/0\r\n'
    model.answer_chat(Text("Hello."))
    chat = visit().open()
    chat.ask("Hi")
    add_artifact(chat, "sheet", "Costs", csv)
    chat.page.reload()
    chat.open_document("Costs")
    panel, page = chat.panel, chat.page
    grid = panel.root.get_by_role("grid")
    cells = grid.get_by_role("gridcell")
    expect(cells.filter(has_text="55")).to_be_visible()
    expect(grid.get_by_role("columnheader", name="price", exact=True)).to_contain_text("B")
    cells.filter(has_text="#DIV/0!").click()
    expect(panel.root.get_by_role("status").filter(has_text="Division by zero")).to_be_visible()
    assert violations(page) == []

    cells.filter(has_text=re.compile("^3$")).last.dblclick()  # the first one is the row's number
    page.keyboard.insert_text("=B2+2")
    page.keyboard.press("Enter")
    expect(cells.filter(has_text="65")).to_be_visible()
    cells.filter(has_text="tea").click()
    panel.root.get_by_role("button", name="Delete row").click()
    cells.filter(has_text="#REF!").first.click()
    page.keyboard.press("Control+s")
    panel.shows_version(2, of=2)
    content: str = chat.api(f"artifacts/{chat.artifact_ids[0]}/versions/2/")["content"]
    assert content == 'item,price,sum\r\nmilk,=#REF!+2,=B2*10\r\ncups,5,"=SUM(C2, B3)"\r\n,,=C3/0\r\n'


def test_a_sheet_has_a_header_row_and_numbers_at_the_right(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Hello."))
    chat = visit().open()
    chat.ask("Hi")
    add_artifact(chat, "sheet", "Teas", "tea,price\r\nAssam,7.50\r\nSencha,12\r\n")
    chat.page.reload()
    chat.open_document("Teas")
    panel = chat.panel
    grid = panel.root.get_by_role("grid")
    expect(grid.get_by_role("columnheader", name="price", exact=True)).to_have_css("text-align", "end")
    expect(grid.get_by_role("gridcell", name="7.50")).to_have_css("text-align", "end")
    expect(grid.get_by_role("gridcell", name="Assam")).to_have_css("text-align", "start")

    header = panel.root.get_by_role("button", name="Header row")
    expect(header).to_have_attribute("aria-pressed", "true")
    header.click()
    expect(grid.get_by_role("columnheader", name="A", exact=True)).to_be_visible()
    expect(grid.get_by_role("gridcell", name="tea")).to_be_visible()
    column = grid.get_by_role("columnheader", name="A", exact=True)
    box = column.bounding_box()
    assert box is not None
    edge, y = box["x"] + box["width"] - 3, box["y"] + 10
    chat.page.mouse.move(edge, y)
    chat.page.mouse.down()
    chat.page.mouse.move(edge + 80, y, steps=4)
    chat.page.mouse.up()
    expect(column).to_have_css("width", f"{box['width'] + 80:g}px")
    panel.shows_version(1, of=1)  # how a sheet is looked at changes nothing in it

    panel.root.get_by_label("CSV file").set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"a\x00b"})
    expect(chat.page.get_by_text("This file can't be read.")).to_be_visible()
    expect(grid.get_by_role("gridcell", name="tea")).to_be_visible()
    imported = "Tee;Größe\r\nGrün;5 €\r\n"  # as Excel writes CSV on a German machine
    panel.root.get_by_label("CSV file").set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": imported.encode("cp1252")})
    expect(grid.get_by_role("gridcell", name="Grün")).to_be_visible()
    grid.get_by_role("gridcell", name="5 €").click()
    chat.page.keyboard.press("Control+s")
    panel.shows_version(2, of=2)
    assert chat.api(f"artifacts/{chat.artifact_ids[0]}/versions/2/")["content"] == imported
