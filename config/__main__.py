"""The command `python -m config`: Parley's processes, and every command of `manage.py`.

    python -m config web --host 0.0.0.0 --port 8000
    python -m config worker
    python -m config beat
    python -m config migrate
    python -m config doctor

A process takes the place of this one, so that signals reach it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from config.processes import beat_arguments, web_arguments, worker_arguments

PROCESSES: dict[str, Callable[..., list[str]]] = {"web": web_arguments, "worker": worker_arguments, "beat": beat_arguments}


def main(arguments: list[str]) -> None:
    """Start the process, or run the command, that the first argument names."""
    name, *options = arguments or ["help"]
    if start := PROCESSES.get(name):
        os.execv(sys.executable, [sys.executable, *start(*options)])
    import manage

    database = ["--database", "owner"] if name == "migrate" and "--database" not in options else []
    manage.main([name, *database, *options])


if __name__ == "__main__":
    main(sys.argv[1:])
