"""The Python console: runs what a member sees, stops what does not stop, and lets nothing out."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Locator, expect

from doubles.script import Text
from tests.e2e.artifacts.sandbox import JS_IN_THE_FRAME, JS_IN_THE_WORKER, PYTHON_ATTACKS, Listener, open_artifact
from tests.e2e.browser import PageProblems
from tests.e2e.conftest import SessionOf
from tests.e2e.pages import ChatPage
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import Product, wait_for
from tools import frontend

START_MS = 240_000  # Python's first start, on a busy and slow machine


_PASTE = """
(editor, text) => {
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', text)
  editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
}
"""


class ConsolePanel:
    def __init__(self, chat: ChatPage) -> None:
        self.chat = chat
        self.page = chat.page
        self.root = chat.page.get_by_role("region", name=re.compile("^Console: "))
        self.output = self.root.get_by_role("region", name="Output")
        self.status = self.root.get_by_role("status")
        self.run_button = self.root.get_by_role("button", name="Run", exact=True)
        self.stop_button = self.root.get_by_role("button", name="Stop", exact=True)
        self.fix_button = self.root.get_by_role("button", name="Fix", exact=True)

    def write(self, code: str) -> None:
        """Put a program in the place of the old one."""
        self.chat.panel.view("Code")
        source = self.page.get_by_role("textbox", name="Program, source")
        source.press("Control+a")
        source.evaluate(_PASTE, code)  # typing would close brackets and indent by itself
        self.chat.panel.view("Console")

    def begin(self, code: str) -> None:
        self.write(code)
        self.run_button.click()

    def run(self, code: str, ends: str | re.Pattern[str] = re.compile("^Finished in ")) -> Locator:
        """The output of a program that has ended so."""
        self.begin(code)
        expect(self.status).to_have_text(ends, timeout=START_MS)
        return self.output


@pytest.fixture(scope="module")
def console(browser: Browser, product: Product, session_of: SessionOf) -> Iterator[ConsolePanel]:
    """One console for all tests that leave it as they found it: a page and the first start of Python take longer than what they look at.

    The last test fails on a script error or a policy violation in any of them.
    """
    with browser.new_context(base_url=product.url, storage_state=session_of("alice"), reduced_motion="reduce") as context:
        watch = PageProblems(context, product.url)
        model = ScriptedProvider(product.double)
        chat = open_artifact(
            ChatPage(context.new_page()), model, "python", "Program", "print('hello')\n", files={"numbers.csv": b"a,b\n1,2\n"}
        )
        chat.panel.view("Console")
        yield ConsolePanel(chat)
    assert watch.problems == []


def test_a_program_shows_what_it_prints_its_pictures_and_its_last_value(console: ConsolePanel) -> None:
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    output = console.run(
        "import base64, sys\n"
        "print('to the output')\n"
        "print('to the errors', file=sys.stderr)\n"
        f"display(base64.b64decode('{png}'))\n"
        "sum(range(10))\n"
    )
    expect(output).to_have_text("to the output\nto the errors\nFigure 145")
    expect(output.get_by_role("img", name="Picture that the program shows")).to_be_visible()
    with console.page.expect_download() as download:
        output.get_by_role("button", name="Download Figure 1").click()
    assert download.value.suggested_filename == "figure-1.png"
    console.root.get_by_role("button", name="Clear").click()
    expect(output).not_to_contain_text("45")


def test_an_error_names_its_line_and_fix_sends_its_traceback(console: ConsolePanel, model: ScriptedProvider) -> None:
    output = console.run("import json\n\ndef load():\n    return json.loads('{')\n\nload()\n", "Error in line 4")
    expect(output).to_contain_text("json.decoder.JSONDecodeError: Expecting property name")
    expect(output).not_to_contain_text("decoder.py")  # the member's own lines only
    console.run("import numpy\n", "Error in line 1")
    expect(output).to_contain_text("numpy is not installed on this server.")
    console.run("print(1\n", "Error in line 1")
    expect(output).to_contain_text("SyntaxError: '(' was never closed")
    console.chat.panel.view("Code")
    expect(console.page.locator("[data-error-line]")).to_have_text("print(1")
    console.chat.panel.view("Console")
    model.answer_chat(Text("Done."))
    console.fix_button.click()
    expect(console.chat.questions.last).to_contain_text("SyntaxError: '(' was never closed")
    expect(console.chat.answer).to_contain_text("Done.")
    expect(console.fix_button).to_have_count(0)
    console.write("print('fixed')\n")
    expect(output).not_to_contain_text("SyntaxError")
    expect(console.status).to_have_text("")


ENDLESS = "while True:\n    pass\n"
STUBBORN = "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n"
ASLEEP = "import time\nfor _ in range(3): time.sleep(600)\n"


def test_stop_ends_a_program_and_the_console_goes_on(console: ConsolePanel) -> None:
    for code in (ENDLESS, ASLEEP, STUBBORN):
        console.begin(f"print('begun')\n{code}")
        expect(console.output).to_have_text("begun\n", timeout=START_MS)
        console.stop_button.click()
        expect(console.output).to_have_text("begun\nStopped.")
        expect(console.run("print('again')\n")).to_have_text("again\n")


def test_output_comes_while_the_program_runs_and_input_is_asked_for(console: ConsolePanel) -> None:
    console.begin("name = input('Who? ')\nprint('Hello', name)\nwhile input() != 'end': print('more')\n")
    answer = console.output.get_by_role("textbox", name="Input for the program")
    expect(console.status).to_have_text("Waiting for your input", timeout=START_MS)
    expect(console.output).to_contain_text("Who? ")
    for line in ("Ada", "go", "end"):
        answer.fill(line)
        answer.press("Enter")
    expect(console.status).to_have_text(re.compile("^Finished"))
    expect(console.output).to_have_text("Who? Ada\nHello Ada\ngo\nmore\nend\n")


def test_an_attached_file_is_in_the_working_folder(console: ConsolePanel) -> None:
    output = console.run("print(open('/files/numbers.csv').read(), open('numbers.csv').read())\n")
    expect(output).to_have_text("a,b\n1,2\n a,b\n1,2\n\n")


def test_a_program_cannot_take_all_memory_or_write_without_end(console: ConsolePanel) -> None:
    expect(console.run("x = bytearray(600_000_000)\n", "Error in line 1")).to_contain_text("MemoryError")
    output = console.run("while True: print('x' * 1000)\n", "Stopped")
    expect(output).to_contain_text("the program wrote too much")


# A package made for this test, of matplotlib's shape: a figure is a PNG in the ground's colour, which matplotlibrc says.
MATPLOTLIB = """
import os

rcParams = {}

def rc_file(path):
    rcParams.update(line.split(": ", 1) for line in open(path).read().splitlines())

rc_file(os.environ["MATPLOTLIBRC"])
"""
PYPLOT = """
import struct, zlib
from matplotlib import rcParams

figures = []

def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

class Figure:
    def savefig(self, target, **options):
        ground = bytes.fromhex(rcParams["figure.facecolor"])
        header = struct.pack(">IIBBBBB", 8, 4, 8, 2, 0, 0, 0)
        pixels = zlib.compress((b"\\0" + ground * 8) * 4)
        target.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))

def plot(*values):
    figures[:] = [Figure()]

def get_fignums():
    return range(len(figures))

def figure(number):
    return figures[number]

def close(which):
    figures.clear()
"""
GROUND = """async picture => {
  await picture.decode()
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  context.drawImage(picture, 0, 0)
  return [...context.getImageData(1, 1, 1, 1).data].slice(0, 3)
}"""


def wheel(folder: Path) -> None:
    files = {"matplotlib/__init__.py": MATPLOTLIB, "matplotlib/pyplot.py": PYPLOT}
    about = {"METADATA": "Metadata-Version: 2.1\nName: matplotlib\nVersion: 0.1\n", "WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n"}
    files |= {f"matplotlib-0.1.dist-info/{name}": text for name, text in about.items()}
    with zipfile.ZipFile(folder / "matplotlib-0.1-py3-none-any.whl", "w") as archive:
        for name, text in {**files, "matplotlib-0.1.dist-info/RECORD": "".join(f"{name},,\n" for name in files)}.items():
            archive.writestr(name, text)


@pytest.fixture
def _matplotlib(product: Product, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package arrives while the server runs, as from tools/console_wheels.py."""
    wheel(tmp_path)
    monkeypatch.setenv("PYTHON_WHEELS", str(tmp_path))
    frontend.node("copyPyodide.ts", "")
    yield
    monkeypatch.delenv("PYTHON_WHEELS")
    frontend.node("copyPyodide.ts", "")


@pytest.mark.usefixtures("_matplotlib")
def test_plots_of_a_package_that_arrived_show_in_the_colours_of_the_page(console: ConsolePanel) -> None:
    console.page.reload()  # the frame that is open does not know the package
    console.page.get_by_role("button", name="1 document").click()
    console.page.get_by_role("group").get_by_role("menuitem", name="Program").click()
    figure = console.output.get_by_role("img")
    for theme, ground in (("light", [255, 255, 255]), ("dark", [31, 32, 35])):
        console.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        console.run("import matplotlib.pyplot as plt\nplt.plot([1, 2])\n")
        assert figure.evaluate(GROUND) == ground


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as listening:
        yield listening


@pytest.fixture
def attacker(page_with_violations: ChatPage, model: ScriptedProvider) -> ConsolePanel:
    chat = open_artifact(page_with_violations, model, "python", "Program", "pass\n")
    chat.panel.view("Console")
    return ConsolePanel(chat)


def logs_of(product: Product) -> str:
    return "".join(path.read_text() for path in product.stack.layout.logs.iterdir() if path.is_file())


def test_nothing_gets_out_of_the_frame(attacker: ConsolePanel, listener: Listener, product: Product) -> None:
    """First by Python, then by any script in the worker and in the frame, as if Python had broken out into them."""
    own = f"{product.url}/leak-of-the-sandbox"
    places = {"OUTSIDE": listener.url, "OWN": own}
    program = PYTHON_ATTACKS
    for name, url in places.items():
        program = program.replace(name, repr(url))
    output = attacker.run(program).inner_text()
    assert "done" in output
    assert re.findall(r"^OPEN .*$", output, re.MULTILINE) == []

    frame = next(frame for frame in attacker.page.frames if "/sandbox/python/" in frame.url)
    worker = attacker.page.workers[0]
    for place in places.values():
        assert worker.evaluate(JS_IN_THE_WORKER, place) == []
        assert frame.evaluate(JS_IN_THE_FRAME, place) == []
    with suppress(Error):  # the page refuses the address, and the frame is no more
        frame.evaluate("url => { location.href = url; return new Promise(() => {}) }", listener.url)
    assert attacker.page.url.startswith(product.url)
    attacker.page.request.get("/control-of-the-sandbox")
    wait_for(lambda: "control-of-the-sandbox" in logs_of(product), "the request that did get out is in the logs")
    assert "leak-of-the-sandbox" not in logs_of(product)
    with suppress(Error):  # and the port does keep what comes; it never answers
        attacker.page.request.get(listener.url)
    assert [request[:9] for request in listener.requests] == [b"GET /leak"]
