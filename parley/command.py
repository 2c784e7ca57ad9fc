"""The command `parley`: `run` starts everything, as `make run` does; all others are those of `python -m config`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# In the wheel the program is below this package: its own packages have names, such as `files`, that others could have, too.
APP = HERE / "app" if (HERE / "app").is_dir() else HERE.parent


def main() -> None:
    """Run the command that the first argument names. A process takes the place of this one, so that signals reach it."""
    name, *options = sys.argv[1:] or ["help"]
    _set_places()
    if name == "run":
        os.execv(sys.executable, [sys.executable, "-m", "tools.embedded", "run", *options])
    from config.__main__ import main as run_command

    run_command([name, *options])


def _set_places() -> None:
    """Let this process and those that it starts find the program, whatever lies in the current directory; keep data there."""
    sys.path.insert(0, str(APP))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(APP), os.environ.get("PYTHONPATH"))))
    os.environ["PYTHONSAFEPATH"] = "1"
    os.environ.setdefault("PARLEY_DATA_DIR", str(Path.cwd() / ".data"))
