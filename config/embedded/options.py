"""The command line of `python -m config.embedded run`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from config.embedded.layout import default_data_dir


@dataclass(frozen=True)
class Options:
    data: Path
    host: str = "127.0.0.1"
    port: int | None = None  # None: the first free one from 8000
    demo: bool = True


def parsed(arguments: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(prog="python -m config.embedded", description="Parley with everything it needs on one machine.")
    parser.add_argument("command", choices=["run"])
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, help="port to listen on (default: the first free one from 8000)")
    parser.add_argument("--data-dir", type=Path, help="where everything is kept (default: .data, or PARLEY_DATA_DIR)")
    parser.add_argument(
        "--demo",
        action=argparse.BooleanOptionalAction,
        help="demo organization, demo accounts with public passwords, demo provider (default: only with the embedded database)",
    )
    given = parser.parse_args(arguments)
    data = given.data_dir.expanduser().resolve() if given.data_dir else default_data_dir()
    demo = "DATABASE_URL" not in os.environ if given.demo is None else given.demo
    return Options(data=data, host=given.host, port=given.port, demo=demo)
