"""How smoothly the panel works in this machine's browser (docs/performance.md): python -m pytest -s tests/e2e/artifacts/panel_speed.py

Not part of the test run: a busy machine is no fault of the panel.
"""

from __future__ import annotations

import json
import os
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from doubles.script import Answer, Pacing, Text
from tests.e2e.artifacts.sandbox import add_artifact
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider, is_document
from tests.support.system.product import Product

TOKENS = 5_000  # of four characters
TOKENS_PER_S = 200
ROWS = 10_000
MANY = 50
LONG_MS = 50
PATIENCE_MS = 120_000
ROUNDS = 3
_TEST_LOOKS = "blink.mojom.DevToolsSession"  # brings what Playwright asks the page, such as a search of the whole document for a text

_PART = """\
## Part {number}

The **renderer** keeps every *finished* block untouched, and only re-reads the one that grows; see [the notes](https://example.org/).

- one thing that matters
- another, with `code` in it

| Kind | Colour | Grams |
|------|--------|------:|
| Sencha | green | {number} |

```python
def brew(grams: int) -> str:
    return f"{{grams}} g of tea"  # hot
```

"""


def document_of(tokens: int) -> str:
    parts: list[str] = []
    while sum(map(len, parts)) < tokens * 4:
        parts.append(_PART.format(number=len(parts) + 1))
    return "".join(parts)[: tokens * 4]


class TaskWatch:
    """The tasks of the page's main thread while a block runs, from the browser's trace.

    In milliseconds of CPU: the clock on the wall also counts what other processes do on a busy machine. What the test itself looks up
    in the page is left out: to search a long document for a text is a long task too.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self.tasks: Sequence[float] = ()
        self.seconds = 0.0

    @contextmanager
    def during(self) -> Iterator[None]:
        browser = self._page.context.browser
        assert browser is not None
        browser.start_tracing(page=self._page, categories=["toplevel"])
        started = time.monotonic()
        yield
        self.seconds = time.monotonic() - started
        self.tasks = tasks_of(json.loads(browser.stop_tracing())["traceEvents"])

    @property
    def long_tasks(self) -> list[int]:
        return [round(task) for task in self.tasks if task > LONG_MS]

    def __str__(self) -> str:
        busiest = max(self.tasks, default=0.0)
        return f"{self.seconds:.1f} s, CPU {sum(self.tasks) / 1000:.1f} s, longest task {busiest:.0f} ms, over {LONG_MS} ms: {len(self.long_tasks)}"


def tasks_of(events: Sequence[dict[str, Any]]) -> list[float]:
    """CPU milliseconds of each task of the busiest page's main thread, without those in which the test itself looked at the page."""
    main = {
        (event["pid"], event["tid"]) for event in events if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    tasks: dict[tuple[int, int], list[dict[str, Any]]] = {}
    looks: dict[tuple[int, int], list[float]] = {}
    for event in events:
        thread = event["pid"], event["tid"]
        if thread in main and event["name"].endswith("RunTask") and "tdur" in event:
            tasks.setdefault(thread, []).append(event)
        if event.get("args", {}).get("chrome_mojo_event_info", {}).get("mojo_interface_tag") == _TEST_LOOKS:
            looks.setdefault(thread, []).append(event["ts"])
    durations = {thread: _without(sorted(looks.get(thread, ())), of_thread) for thread, of_thread in tasks.items()}
    return max(durations.values(), key=sum, default=[])


def _without(looks: Sequence[float], tasks: Sequence[dict[str, Any]]) -> list[float]:
    """`looks`: microseconds, in order."""

    def has_look(task: dict[str, Any]) -> bool:
        place = bisect_left(looks, task["ts"])
        return place < len(looks) and looks[place] <= task["ts"] + task["dur"]

    return [task["tdur"] / 1000 for task in tasks if not has_look(task)]


@pytest.fixture(autouse=True)
def _patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)
    print(f"\nload average {os.getloadavg()[0]:.1f}")


def watched_page(visit: Visit) -> tuple[ChatPage, TaskWatch]:
    chat = visit(fresh="figures of a first visit")
    return chat, TaskWatch(chat.page)


@pytest.mark.parametrize("view", ["Read", "Markdown"])
@pytest.mark.parametrize("turn", range(ROUNDS))
def test_a_long_document_streams_in_without_a_long_task(
    visit: Visit, model: ScriptedProvider, product: Product, view: str, turn: int
) -> None:
    chat, watch = watched_page(visit)
    model.calls_document_agent(operation="create", title="Tea", instruction="All about tea.")
    answer = Answer((Text(document_of(TOKENS)),), Pacing(tokens_per_s=TOKENS_PER_S))
    product.double.respond(lambda request: answer if is_document(request) else None)
    model.answer_chat(Text("It is written."))
    chat.open()
    with watch.during():
        chat.say("Write all about tea.")
        chat.panel.view(view)
        chat.rests()
    chat.panel.shows_version(1, of=1)
    print(f"{TOKENS} tokens at {TOKENS_PER_S} tokens/s into the view {view}: {watch}")
    assert watch.long_tasks == []


def test_a_sheet_of_10_000_rows_is_usable(visit: Visit, model: ScriptedProvider) -> None:
    chat, watch = watched_page(visit)
    model.answer_chat(Text("Go on."))
    chat.open().ask("We need a table.")
    add_artifact(chat, "sheet", "Orders", "".join(f"{row},Customer {row},{row * 3.5},Berlin\n" for row in range(1, ROWS + 1)))
    chat.page.reload()
    grid = chat.panel.root.get_by_role("grid")
    last = grid.get_by_role("gridcell", name=f"Customer {ROWS}", exact=True)
    with watch.during():
        chat.open_document("Orders")
        expect(grid.get_by_role("gridcell", name="Customer 1", exact=True)).to_be_visible()
    print(f"{ROWS} rows, open: {watch}")
    with watch.during():
        grid.get_by_role("gridcell", name="Customer 1", exact=True).click()
        for _ in range(60):
            chat.page.mouse.wheel(0, 400)
        chat.page.keyboard.press("Control+End")
        expect(last).to_be_visible()
    print(f"{ROWS} rows, scroll to the end: {watch}")
    with watch.during():
        last.dblclick()
        chat.page.keyboard.insert_text("Somebody else")
        chat.page.keyboard.press("Enter")
        chat.panel.shows_version(2, of=2)
    print(f"{ROWS} rows, edit a cell until it is saved: {watch}")


def test_a_conversation_with_many_artifacts_reads_only_what_is_shown(visit: Visit, model: ScriptedProvider) -> None:
    chat, watch = watched_page(visit)
    model.answer_chat(Text("Go on."))
    chat.open().ask("We need many documents.")
    for number in range(MANY):
        add_artifact(chat, "text", f"Document {number}", "# Tea\n")
    urls: list[str] = []
    chat.page.on("request", lambda request: urls.append(request.url) if "/api/artifacts/" in request.url else None)
    with watch.during():
        chat.page.reload()
        expect(chat.answer).to_be_visible()
    print(f"a conversation with {MANY} artifacts, open: {watch}")
    assert urls == []
    chat.page.get_by_role("button", name=f"{MANY} documents").click()
    chat.page.get_by_role("menuitem", name="Document 7", exact=True).click()
    expect(chat.panel.text).to_be_visible()
    assert len(urls) == 1
