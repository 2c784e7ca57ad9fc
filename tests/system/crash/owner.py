"""`python -m tests.system.crash.owner`: forks a process for each order on its standard input and prints how it ended.

It has no thread, no connection and no event loop of its own, so that each fork is a fresh process that has all its imports.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import django

from tests.system.crash.processes import OwnerTask


def main() -> None:
    django.setup()
    from tests.system.crash.owner_tasks import run_task, warm_up

    warm_up()
    for line in sys.stdin.buffer:
        child = os.fork()
        if not child:
            _end_with(run_task, OwnerTask.from_json(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _end_with(work: Callable[[OwnerTask], int], task: OwnerTask) -> None:
    code = 1
    try:
        code = work(task)
    except Exception:  # noqa: BLE001 - the process's rim: it must end here, whatever happened
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(code)  # the fork must not go on with the parent's loop


if __name__ == "__main__":
    main()
