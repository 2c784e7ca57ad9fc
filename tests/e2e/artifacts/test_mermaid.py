"""Diagrams: drawn in a sandboxed frame, in answers and in the panel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from doubles.script import Text
from tests.e2e.artifacts.sandbox import open_artifact
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import wait_for

NINE = {
    "flowchart": "flowchart LR\n  A[Start] --> B{Ready?}\n  B -->|yes| C[Go]\n  B -->|no| A",
    "sequence": "sequenceDiagram\n  Alice->>Bob: Hello\n  Bob-->>Alice: Hi",
    "class": "classDiagram\n  Animal <|-- Duck\n  Animal : +int age\n  Duck : +quack()",
    "state": "stateDiagram-v2\n  [*] --> Still\n  Still --> Moving\n  Moving --> [*]",
    "er": "erDiagram\n  CUSTOMER ||--o{ ORDER : places\n  ORDER ||--|{ LINE : contains",
    "gantt": "gantt\n  title Plan\n  dateFormat YYYY-MM-DD\n  section Work\n  First :a1, 2026-01-01, 30d\n  Second :after a1, 20d",
    "pie": 'pie title Pets\n  "Dogs" : 386\n  "Cats" : 85',
    "gitGraph": "gitGraph\n  commit\n  branch develop\n  commit\n  checkout main\n  merge develop",
    "journey": "journey\n  title My day\n  section Work\n    Make tea: 5: Me\n    Write: 3: Me, Cat",
}


def block(code: str) -> str:
    return f"```mermaid\n{code}\n```\n\n"


def pictures(place: Locator) -> Locator:
    return place.get_by_role("group", name="Diagram").get_by_role("img")


def chat_with_answer(visit: Visit, model: ScriptedProvider, text: str, **window: bool) -> ChatPage:
    model.answer_chat(Text(text))
    chat = visit(**window).open()
    chat.ask("Draw it.")
    return chat


def is_drawn(picture: Locator) -> None:
    """The picture has arrived and has a size."""
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth > 20 && image.naturalHeight > 20)")


def test_the_nine_types_are_drawn_in_an_answer_and_in_both_themes(visit: Visit, model: ScriptedProvider) -> None:
    for dark in (False, True):
        chat = chat_with_answer(visit, model, "".join(map(block, NINE.values())), dark=dark)
        expect(pictures(chat.answer)).to_have_count(len(NINE))
        for picture in pictures(chat.answer).all():
            is_drawn(picture)
        kinds = [picture.get_attribute("alt") or "" for picture in pictures(chat.answer).all()]
        for name, kind in zip(NINE, kinds, strict=True):
            assert name.lower() in kind.lower()


def test_the_code_of_a_diagram_is_one_click_away(visit: Visit, model: ScriptedProvider) -> None:
    chat = chat_with_answer(visit, model, block(NINE["flowchart"]))
    is_drawn(pictures(chat.answer))
    chat.answer.get_by_role("button", name="Code", exact=True).click()
    expect(chat.answer.get_by_role("group", name="Code, mermaid")).to_contain_text("A[Start] --> B{Ready?}")
    expect(pictures(chat.answer)).to_have_count(0)


def test_a_diagram_that_cannot_be_drawn_shows_its_line_and_its_code(visit: Visit, model: ScriptedProvider) -> None:
    chat = chat_with_answer(visit, model, block("flowchart LR\n  A --> B\n  C --") + block(NINE["pie"]))
    expect(chat.answer).to_contain_text("This diagram has an error in line 3.")
    expect(chat.answer.get_by_role("group", name="Code, mermaid")).to_contain_text("C --")
    is_drawn(pictures(chat.answer))  # the broken one has left the frame in order


def magnification(picture: Locator) -> float:
    """How many times its own width the picture is wide; it may be drawn anew meanwhile, with another one."""
    return float(picture.evaluate("image => image.getBoundingClientRect().width / image.naturalWidth"))


def panel_diagram(page: Page) -> Locator:
    return page.get_by_role("region", name=re.compile("^Diagram: "))


def test_the_panel_zooms_and_exports(visit: Visit, model: ScriptedProvider) -> None:
    chat = open_artifact(visit(), model, "mermaid", "Plan", "flowchart TD\n  A --> B")
    diagram = panel_diagram(chat.page)
    picture = pictures(diagram)
    is_drawn(picture)
    diagram.get_by_role("button", name="Zoom in").click()
    expect(diagram.get_by_text("250 %")).to_be_visible()
    box = diagram.get_by_role("group", name="Diagram")
    box.press("-")
    expect(diagram.get_by_text("200 %")).to_be_visible()
    wait_for(lambda: magnification(picture) == pytest.approx(2, abs=0.02), "the small picture fills more of the box")
    box.press("+")
    expect(diagram.get_by_text("250 %")).to_be_visible()
    wait_for(lambda: magnification(picture) == pytest.approx(2.5, abs=0.02), "the picture is larger")
    box.press("0")
    expect(diagram.get_by_text("200 %")).to_be_visible()
    box.hover()
    chat.page.keyboard.down("Control")
    chat.page.mouse.wheel(0, -40)
    chat.page.keyboard.up("Control")
    expect(diagram.get_by_text("298 %")).to_be_visible()
    box.press("0")
    expect(diagram.get_by_text("200 %")).to_be_visible()
    for name, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with chat.page.expect_download() as started:
            diagram.get_by_role("button", name=f"Download as {name}").click()
        assert started.value.suggested_filename == f"Plan.{name.lower()}"
        content = Path(started.value.path()).read_bytes()
        assert content.startswith(start)
        assert len(content) > 2000
        assert name == "PNG" or b"@font-face{font-family:'Inter Variable'" in content, "it brings the page's font along"


def test_an_exported_diagram_has_nothing_foreign_in_it_and_nothing_that_runs(
    page_with_violations: ChatPage, model: ScriptedProvider
) -> None:
    hostile = (
        '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}, '
        '"themeCSS": "@import url(https://elsewhere.example/x.css);", "fontFamily": "url(https://elsewhere.example/f)"}}%%\n'
        "flowchart LR\n  A[\"<img src='https://elsewhere.example/x.png' onerror='alert(1)'>\"] --> B\n"
        '  click A href "javascript:alert(1)"\n'
    )
    urls: list[str] = []
    page_with_violations.context.on("request", lambda request: urls.append(request.url))
    chat = open_artifact(page_with_violations, model, "mermaid", "Plan", hostile)
    diagram = panel_diagram(chat.page)
    is_drawn(pictures(diagram))
    with chat.page.expect_download() as started:
        diagram.get_by_role("button", name="Download as SVG").click()
    svg = Path(started.value.path()).read_text()
    assert [url for url in urls if "elsewhere.example" in url] == []
    assert not re.search(r"elsewhere\.example/(?:x\.css|f)|<img|foreignObject|<script|javascript:| on\w+=", svg)


def test_the_last_good_picture_stays_while_the_code_is_broken_and_fix_sends_the_error(visit: Visit, model: ScriptedProvider) -> None:
    chat = open_artifact(visit(), model, "mermaid", "Plan", NINE["flowchart"])
    picture = pictures(panel_diagram(chat.page))
    is_drawn(picture)
    chat.panel.view("Code")
    source = chat.page.get_by_role("textbox", name="Plan, source")
    source.click()
    chat.page.keyboard.press("Control+End")
    chat.page.keyboard.type("\n  C --")
    chat.panel.view("Preview")
    alert = panel_diagram(chat.page).get_by_role("alert")
    expect(alert).to_contain_text("This diagram has an error in line 6.")
    is_drawn(picture)
    width = picture.evaluate("image => image.naturalWidth")
    model.answer_chat(Text("You can finish the arrow."))
    alert.get_by_role("button", name="Fix", exact=True).click()
    expect(chat.questions.last).to_contain_text("Fix this error in Plan:")
    expect(chat.questions.last).to_contain_text("Parse error on line")  # in the parser's own words
    expect(chat.answer).to_contain_text("You can finish the arrow.")
    chat.panel.view("Code")
    source.click()
    chat.page.keyboard.press("Control+End")
    chat.page.keyboard.type("> D")
    chat.panel.view("Preview")
    expect(picture).not_to_have_js_property("naturalWidth", width)
    is_drawn(picture)
    assert picture.evaluate("image => image.naturalWidth") > width  # there is one more node
    expect(alert).to_have_count(0)


def test_an_emptied_diagram_says_so(visit: Visit, model: ScriptedProvider) -> None:
    chat = open_artifact(visit(), model, "mermaid", "Plan", NINE["flowchart"])
    diagram = panel_diagram(chat.page)
    is_drawn(pictures(diagram))
    chat.panel.view("Code")
    chat.page.get_by_role("textbox", name="Plan, source").press("Control+a")
    chat.page.keyboard.press("Delete")
    chat.panel.view("Preview")
    expect(diagram.get_by_role("status")).to_contain_text("This diagram is empty.")
    expect(pictures(diagram)).to_have_count(0)
