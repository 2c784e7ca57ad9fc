"""Documents are written as rich text, and their Markdown changes only where somebody changed something."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider

TEA = """\
Tea
===

It comes from __China__ and $x^2$ is a formula.
Drink it hot.\x20

*  [ ] buy leaves
*  [x] buy a pot

| Kind   | Minutes |
|:-------|--------:|
| Green  |       2 |
| Black  |       4 |

<details>raw</details>

```python
print("tea")
```

> Quiet.
"""


def stored_text(chat: ChatPage, number: int) -> str:
    text: str = chat.api(f"artifacts/{chat.artifact_ids[0]}/versions/{number}/")["content"]
    return text


def width_of(element: Locator) -> float:
    box = element.bounding_box()
    assert box
    return box["width"]


def test_writing_changes_only_the_lines_that_were_touched(visit: Visit, model: ScriptedProvider) -> None:
    model.creates_document("Tea", Text(TEA))
    chat = visit().open()
    chat.ask("Write a document about tea.")
    panel, page = chat.panel, chat.page
    panel.view("Write")
    editor = panel.root.get_by_role("textbox", name="Tea, text")
    expect(editor.get_by_role("heading", name="Tea")).to_be_visible()
    expect(editor.get_by_role("paragraph").filter(has_text="Drink it hot.")).to_be_visible()  # although a blank ends it
    shot(page, "write")
    assert violations(page) == []
    editor.get_by_text("Quiet.").click()
    page.keyboard.press("End")
    page.keyboard.type(" Or **loud** now")
    expect(editor.get_by_role("strong")).to_have_text(["China", "loud"])
    editor.get_by_role("checkbox", name="open").check()
    editor.get_by_role("cell", name="4").click()
    page.keyboard.press("End")
    page.keyboard.type("0")
    page.keyboard.press("Tab")
    page.keyboard.type("White")
    page.keyboard.press("Control+s")
    panel.shows_version(2, of=2)
    expected = TEA.replace("*  [ ] buy leaves", "* [x] buy leaves").replace("Quiet.", "Quiet. Or **loud** now")
    expected = expected.replace("| Black  |       4 |", "| Black | 40 |\n| White |  |")
    assert stored_text(chat, 2) == expected

    panel.root.get_by_role("button", name="Full screen").click()
    expect(chat.page.locator("main")).to_have_attribute("inert", "")
    assert width_of(panel.root) == page.viewport_size["width"]  # type: ignore[index]
    page.keyboard.press("Escape")
    expect(chat.page.locator("main")).not_to_have_attribute("inert", "")

    editor.get_by_text("buy a pot").click()
    page.keyboard.press("Control+f")
    search = panel.root.get_by_role("search")
    search.get_by_role("textbox", name="Find", exact=True).fill("LEAVES")
    expect(search.get_by_role("status")).to_contain_text("of 1")
    search.get_by_role("textbox", name="Replace with").fill("seeds")
    assert violations(page) == []
    search.get_by_role("button", name="Replace all").click()
    expect(editor.get_by_text("buy seeds")).to_be_visible()
    page.keyboard.press("Control+s")
    panel.shows_version(3, of=3)
    page.reload()
    chat.open_document("Tea")
    panel.view("Diff")
    expect(panel.root.get_by_role("deletion")).to_have_text(["* [x] buy leaves"])
    expect(panel.root.get_by_role("insertion")).to_have_text(["* [x] buy seeds"])

    panel.view("Write")
    editor.get_by_role("heading", name="Tea").click()
    page.keyboard.press("End")
    page.wait_for_function("() => getSelection().anchorNode?.textContent === 'Tea' && getSelection().anchorOffset > 0")
    page.keyboard.press("Enter")
    expect(editor.locator("[data-placeholder]")).to_have_attribute("data-placeholder", re.compile("^Type /"))
    page.keyboard.type("/li")
    blocks = panel.root.get_by_role("listbox", name="Insert")
    expect(blocks.get_by_role("option")).to_contain_text(["Bulleted list", "Numbered list", "Task list"])
    assert violations(page) == []
    page.keyboard.press("ArrowDown")
    expect(editor).to_have_attribute("aria-activedescendant", str(blocks.get_by_role("option", selected=True).get_attribute("id")))
    page.keyboard.press("Enter")
    expect(blocks).to_have_count(0)
    page.keyboard.type("With milk")
    page.keyboard.press("Enter")
    page.keyboard.type("/quote")
    page.keyboard.press("Escape")
    page.keyboard.type(" stays")
    page.keyboard.press("Control+s")
    panel.shows_version(4, of=4)
    assert "Tea\n===\n\n1. With milk\n2. /quote stays\n\nIt comes" in stored_text(chat, 4)
