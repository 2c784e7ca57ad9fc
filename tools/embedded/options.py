"""Command line of `python -m tools.embedded run`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from tools.embedded.environment import has_own_database
from tools.embedded.layout import default_data_dir

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True)
class Options:
    """The options of one start."""

    data: Path
    host: str = "127.0.0.1"
    port: int | None = None  # None: the first free port from 8000
    demo: bool = True

    @property
    def is_private(self) -> bool:
        """Whether only programs on this machine can reach Parley: it listens on loopback only, and no proxy publishes it."""
        public_url = os.environ.get("PUBLIC_URL")
        return self.host in LOOPBACK and (not public_url or urlsplit(public_url).hostname in LOOPBACK)


def parse_options(arguments: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(prog="python -m tools.embedded", description="Parley with everything it needs on one machine.")
    parser.add_argument("command", choices=["run"])
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, help="port to listen on (default: the first free one from 8000)")
    parser.add_argument("--data-dir", type=Path, help="where everything is kept (default: .data, or PARLEY_DATA_DIR)")
    parser.add_argument(
        "--demo",
        action=argparse.BooleanOptionalAction,
        help="demo organization, demo accounts with public passwords, demo provider "
        "(default: only with the embedded database and where only this machine reaches Parley)",
    )
    namespace = parser.parse_args(arguments)
    data = namespace.data_dir.expanduser().resolve() if namespace.data_dir else default_data_dir()
    options = Options(data=data, host=namespace.host, port=namespace.port, demo=bool(namespace.demo))
    return replace(options, demo=options.is_private and not has_own_database()) if namespace.demo is None else options
