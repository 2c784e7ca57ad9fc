"""Whether the end of the chat is in sight after each of many sends (docs/performance.md): python -m pytest -s tests/e2e/chat/many_sends.py

Not part of the test run: it takes minutes and, in its second half, all cores of the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice

import pytest
from playwright.sync_api import Page, Route, expect

from doubles.demo import DemoScript
from doubles.demo.pictures import chart
from doubles.script import Answer, Item, Pacing, Picture, ReceivedRequest, Text, Thought
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider, is_chat

PARTS = 5  # of each half; each is a test, because a test has a time limit
SENDS = int(os.environ.get("SENDS", "20"))  # of each part
CHAT_LENGTH = 12  # sends into a conversation before the next one begins
# In turns: a paced answer, and one that comes in a few large pieces, as from a server that was busy.
PACINGS = cycle((Pacing(first_token_s=0.05, tokens_per_s=800), Pacing(first_token_s=0.3), Pacing()))
PATIENCE_MS = 120_000
SETTLE_S = 3.0  # what the page has, after the end of an answer, to show it
LATE_S = 0.4  # a picture's way to the page
AT_END_PX = 2.0
SLOW_CPU = 2  # a device that is so many times slower

ROWS = "".join(f"| {row} | Sencha | {row * 3.5} |\n" for row in range(25))
LONG = "".join(
    f"Paragraph {number} of a long answer, with **bold** words and a line that wraps on every screen that people have.\n\n"
    for number in range(40)
)
DIAGRAM = "```mermaid\nsequenceDiagram\n  Ann->>Bob: Tea?\n  Bob-->>Ann: Please.\n```\n"
ANSWERS: dict[str, tuple[Item, ...]] = {
    "Give me a long answer": (Text(LONG),),
    "Show me Markdown": (),
    "Show me some code": (),
    "Draw a picture": (Text("Here it is:\n\n"), Picture(chart()), Text("Seven bars.")),
    "Show me a table": (Text(f"| Row | Tea | Grams |\n|--|--|--:|\n{ROWS}"),),
    "Think first": (Thought(LONG[:600]), Text("That was a thought.")),
    "Show me some maths": (),
    "Two pictures": (Picture(chart()), Text(LONG[:900]), Picture(chart())),
    "Tell me about tea": (Text("It is hot."),),
    "Draw a diagram": (Text(f"Here it is:\n\n{DIAGRAM}\nThat was all."),),
    "Much code": (Text("```python\n" + "".join(f"print({number})  # a line\n" for number in range(60)) + "```\n"),),
}
# Frames that come late, because something else has the page's thread most of the time, and sizes that are told late.
_SLOW = """
setInterval(() => { for (const end = performance.now() + 30; performance.now() < end; ); }, 100)
const Observer = ResizeObserver
window.ResizeObserver = class extends Observer {
  constructor(told) { super((entries, observer) => setTimeout(() => told(entries, observer), 60)) }
}
"""
_GAP = "() => { const box = document.querySelector('[aria-label=Messages]'); return box.scrollHeight - box.scrollTop - box.clientHeight }"


_demo = DemoScript(pace=0)


def answer(request: ReceivedRequest) -> Answer:
    """Prepared items, or the demo's own words for a question without any."""
    if not is_chat(request):
        return Answer((Text("[]"),))
    items = next(items for question, items in ANSWERS.items() if question in request.user_text)
    return Answer(items or _demo(request).items, next(PACINGS))


# Ends with the process that began it.
_LOOP = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(10_000))"


@contextmanager
def busy_loops(number: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", _LOOP]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def gap_after(page: Page) -> float:
    """How many pixels the end is out of sight, at most SETTLE_S after the answer ended."""
    end = time.monotonic() + SETTLE_S
    while (gap := float(page.evaluate(_GAP))) > AT_END_PX and time.monotonic() < end:
        time.sleep(0.05)
    return gap


def late(route: Route) -> None:
    time.sleep(LATE_S)
    route.continue_()


def send_many(chat: ChatPage, count: int, skip: int) -> list[str]:
    """Send so many messages, and return a line for each after which the end was out of sight."""
    lost_ends = []
    for number, text in enumerate(islice(cycle(ANSWERS), skip, skip + count)):
        if number % CHAT_LENGTH == 0:
            chat.page.keyboard.press("Control+Shift+KeyO")
            expect(chat.page.get_by_role("article")).to_have_count(0)
        chat.ask(text)
        gap = gap_after(chat.page)
        print(".", end="", flush=True)
        if gap > AT_END_PX:
            lost_ends.append(f"{number + 1}. {text}: {gap:.0f} px")
            print(lost_ends[-1], flush=True)
    return lost_ends


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "busy"])
def test_the_end_is_in_sight_after_every_send(visit: Visit, model: ScriptedProvider, busy: bool, part: int) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    model.answer_by(answer)
    chat = visit(fresh="a slow processor")
    chat.context.set_default_timeout(PATIENCE_MS)
    chat.context.route("**/api/files/*/content/**", late)
    chat.context.add_init_script(_SLOW)
    chat.context.new_cdp_session(chat.page).send("Emulation.setCPUThrottlingRate", {"rate": SLOW_CPU})
    chat.open()
    with busy_loops((os.cpu_count() or 2) * 2 if busy else 0):
        lost_ends = send_many(chat, SENDS, skip=part * SENDS)
    print(f"\n{SENDS} sends, {'busy' if busy else 'quiet'} (load average {os.getloadavg()[0]:.1f}): {len(lost_ends)} lost ends")
    assert lost_ends == []
