"""`python -m tools.embedded run`: start everything, print the URL, stop on Ctrl-C."""

from __future__ import annotations

import os
import sys
import threading
import time

from tools import console_wheels
from tools.embedded import run_state, stack
from tools.embedded.layout import Layout
from tools.embedded.options import Options, parse_options
from tools.embedded.output import StartError, say
from tools.embedded.supervisor import Supervisor

# The accounts of `manage.py demo_seed`. Their passwords are public on purpose, so a start without the demo closes them.
DEMO_LOGINS = (("demo@parley.local", "parley-demo", "chat and its admin"), ("operator@parley.local", "parley-operator", "/operator/"))


def ready_message(local_stack: stack.Stack, seconds: float) -> str:
    lines = ["", f"  Parley is ready: {local_stack.url}    ({seconds:.1f} s)"]
    if local_stack.options.demo:
        lines += [f"    {email:24}{password:18}{use}" for email, password, use in DEMO_LOGINS]
        if not local_stack.options.is_private:
            lines.append("  These passwords are public and others can reach this address: use --no-demo there.")
    elif not local_stack.options.is_private:
        lines.append("  Others can reach this address, so the demo accounts are closed; --demo opens them all the same.")
    lines += [f"  Logs: {local_stack.layout.logs}    Ctrl-C stops everything.", ""]
    return "\n".join(lines)


def run(options: Options) -> None:
    began = time.monotonic()
    layout = Layout(options.data)
    layout.make()
    run_lock = run_state.lock(layout)
    if run_lock is None:
        state = run_state.read(layout)
        say(f"Parley is already running: {state.url}" if state.url else f"Another start is under way in {layout.data}.")
        return
    os.umask(0o077)
    with run_lock:
        local_stack = stack.build_stack(layout, options)
        Supervisor(local_stack, on_ready=lambda: ready(local_stack, time.monotonic() - began)).run()


def ready(local_stack: stack.Stack, seconds: float) -> None:
    say(ready_message(local_stack, seconds))
    if console_wheels.is_wanted():
        threading.Thread(target=console_wheels.packages_add, args=[say], name="python packages", daemon=True).start()


def main() -> int:
    try:
        run(parse_options(sys.argv[1:]))
    except StartError as error:
        print(f"parley: {error}", file=sys.stderr, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
