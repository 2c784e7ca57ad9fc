"""Runs a member's program: what it prints goes out by itself, how it ended comes back as JSON (`Outcome` in messages.ts)."""

import asyncio
import base64
import builtins
import importlib.util
import json
import os
import sys
import traceback
import types

from pyodide.code import eval_code_async
from pyodide.ffi import can_run_sync, run_sync

FILE = "main.py"
LONGEST_VALUE = 20_000
PNG = b"\x89PNG\r\n\x1a\n"

program = None  # the task of the program that runs


def prepare(ask, show_png):
    """`ask()` resolves to the member's line, None at the end of input, or False when the program was stopped."""

    def read_line(prompt=""):
        sys.stdout.write(str(prompt))
        sys.stdout.flush()
        if not can_run_sync():
            raise RuntimeError("input() does not work in this browser: put the values into the program, or into a file")
        line = run_sync(ask())
        if line is False:
            raise KeyboardInterrupt
        if line is None:
            raise EOFError("no more input")
        sys.stdout.write(f"{line}\n")
        return line

    def display(*values):
        """Show pictures (PNG) as pictures, and everything else by its repr."""
        for value in values:
            png = png_of(value)
            if png is None:
                print(repr(value))
            else:
                sys.stdout.flush()
                show_png(base64.b64encode(png).decode())

    builtins.input = read_line
    builtins.display = display


def png_of(value):
    if hasattr(value, "_repr_png_"):
        value = value._repr_png_()
    return bytes(value) if isinstance(value, bytes | bytearray) and value.startswith(PNG) else None


async def run(code, dark):
    global program
    program = asyncio.current_task()
    style_figures(dark)
    module = types.ModuleType("__main__")
    module.__file__ = FILE
    sys.modules["__main__"] = module  # dataclasses, pickle and unittest look there
    sys.argv = [FILE]
    try:
        value = await eval_code_async(code, module.__dict__, filename=FILE, dedent=False)
        show_figures()
        outcome = {"status": "ok", "value": display_value(value)}
    except BaseException as error:  # the program's end, whatever it is
        outcome = outcome_of(error)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    end_tasks()
    return json.dumps(outcome)


def display_value(value):
    """The last expression, as a notebook shows it."""
    if value is None:
        return None
    if png_of(value) is not None:
        builtins.display(value)
        return None
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}… ({len(text)} characters)"


def outcome_of(error):
    if isinstance(error, KeyboardInterrupt | asyncio.CancelledError):
        return {"status": "stopped", "reason": ""}
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return {"status": "ok", "value": None}
    if isinstance(error, ModuleNotFoundError):
        explain_missing(error)
    return {"status": "error", "traceback": traceback_of(error), "line": line_of(error)}


def explain_missing(error):
    name = (error.name or "").partition(".")[0]
    if name in sys.stdlib_module_names:
        error.add_note(f"{name} needs what a browser does not have.")
    elif importlib.util.find_spec(name) is None:
        error.add_note(f"{name} is not installed on this server. Its operator can add it: docs/operations.md, Packages for the console.")


def traceback_of(error):
    """Only the lines of the member's file: the others are the console's and the library's."""
    report = traceback.TracebackException.from_exception(error)
    for part in parts_of(report):
        part.stack = traceback.StackSummary.from_list([frame for frame in part.stack if frame.filename == FILE])
    return "".join(report.format())


def parts_of(report):
    """The report and those of its causes and groups; causes have no loops in a TracebackException."""
    found = [report]
    for part in found:
        found += [one for one in (part.__cause__, part.__context__, *(part.exceptions or ())) if one is not None]
    return found


def line_of(error):
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return error.lineno or 0
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == FILE]
    return lines[-1] if lines else 0


def cancel():
    """End what the program waits for: a wait inside of it (a sleep, an asyncio.run) is a task of its own."""
    for task in asyncio.all_tasks() - {program} or {program}:
        task.cancel()


def end_tasks():
    """What a program left running does not print into the next one's output."""
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


# Colours of matplotlib's figures on a light and on a dark page: ground, text, lines of the grid, series.
LIGHT = ("ffffff", "4d4e55", "e6e4e0", ("3b5bdb", "b26a00", "2b8a3e", "c92a2a", "7048e8", "0b7285"))
DARK = ("1f2023", "b4b5ba", "37383d", ("8ba4ff", "f0b062", "6fcf97", "f28b82", "c49bff", "5cc8d7"))
STYLE = """\
figure.facecolor: {ground}
axes.facecolor: {ground}
savefig.facecolor: {ground}
text.color: {text}
axes.labelcolor: {text}
axes.titlecolor: {text}
xtick.color: {text}
ytick.color: {text}
axes.edgecolor: {lines}
grid.color: {lines}
axes.grid: True
axes.grid.axis: y
axes.axisbelow: True
axes.spines.top: False
axes.spines.right: False
axes.spines.left: False
ytick.major.size: 0
axes.prop_cycle: cycler('color', {series})
figure.figsize: 8, 4.4
font.size: 11
lines.linewidth: 2
legend.frameon: False
"""
STYLE_FILE = "/tmp/matplotlibrc"


def style_figures(dark):
    """Make figures follow the page. matplotlib reads the file when it is imported, and again when the page has changed."""
    ground, text, lines, series = DARK if dark else LIGHT
    with open(STYLE_FILE, "w") as file:
        file.write(STYLE.format(ground=ground, text=text, lines=lines, series=list(series)))
    os.environ["MATPLOTLIBRC"] = STYLE_FILE
    if matplotlib := sys.modules.get("matplotlib"):
        matplotlib.rc_file(STYLE_FILE)


def show_figures():
    pyplot = sys.modules.get("matplotlib.pyplot")
    for number in pyplot.get_fignums() if pyplot else ():
        builtins.display(Figure(pyplot.figure(number)))
    if pyplot:
        pyplot.close("all")


class Figure:
    def __init__(self, figure):
        self.figure = figure

    def _repr_png_(self):
        import io

        target = io.BytesIO()
        self.figure.savefig(target, format="png", dpi=110, bbox_inches="tight")
        return target.getvalue()
