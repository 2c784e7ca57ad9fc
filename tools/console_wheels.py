"""Fetches what the Python console offers besides the standard library: numpy, pandas, matplotlib and Pillow, once for each Pyodide.

The lock file of the installed Pyodide names each wheel with its hash. They come from Pyodide's release, or from the mirror that
PYTHON_WHEELS_URL names; nothing is fetched where PYTHON_WHEELS names a directory, or where PYTHON_WHEELS_URL is "off".
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import URLError

from tools import frontend

RELEASE = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"
ROOT_PACKAGES = ("numpy", "pandas", "matplotlib", "pillow")
PYODIDE = frontend.SOURCES / "node_modules" / "pyodide"
FOLDER = frontend.OUTPUT / "python-wheels"
COMPLETE = "complete"  # appears when all wheels are there
LIMIT_S = 60.0
READ_S = 10.0  # without a byte
CHUNK_BYTES = 1 << 16
DOWNLOADS = 4  # at once
HINT = 'See docs/operations.md, "Packages for the console".'

Say = Callable[[str], None]
Packages = Mapping[str, Mapping[str, Any]]


class PackagesError(Exception):
    """The packages can't be had. The message is one sentence for the operator."""


def wheels_of(packages: Packages, names: tuple[str, ...] = ROOT_PACKAGES) -> dict[str, str]:
    """Return the SHA-256 by file name of the wanted packages and of all that they need."""
    wheels: dict[str, str] = {}
    left = list(names)
    while left:
        package = packages[left.pop()]
        if package["file_name"] not in wheels:
            wheels[package["file_name"]] = package["sha256"]
            left += package["depends"]
    return wheels


def fetch(packages: Packages, *, url: str, into: Path, say: Say, limit_s: float = LIMIT_S) -> None:
    """Fetch the wheels that are not in `into` yet, within `limit_s` in all. Raises PackagesError; what has arrived stays for the next time."""
    into.mkdir(parents=True, exist_ok=True)
    wheels = wheels_of(packages)
    missing = sorted(name for name in wheels if not (into / name).exists())
    deadline = time.monotonic() + limit_s
    with ThreadPoolExecutor(DOWNLOADS) as pool:
        tasks = [pool.submit(_fetch_one, url + name, into / name, wheels[name], deadline) for name in missing]
        for number, task in enumerate(tasks, 1):
            try:
                task.result()
            except PackagesError:
                pool.shutdown(cancel_futures=True)
                raise
            say(f"Packages of the Python console: {number} of {len(missing)}")
    (into / COMPLETE).touch()


def _fetch_one(url: str, path: Path, sha256: str, deadline: float) -> None:
    """Put the file there by one rename, once its hash is right."""
    digest = hashlib.sha256()
    part_file = path.with_suffix(".part")
    try:
        with urllib.request.urlopen(url, timeout=READ_S) as answer, part_file.open("wb") as file:  # noqa: S310 the operator's own address
            while chunk := answer.read(CHUNK_BYTES):
                if time.monotonic() > deadline:
                    raise PackagesError(f"The packages of the Python console took too long. The next start goes on. {HINT}")
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != sha256:
            raise PackagesError(f"{url} is not the file that Pyodide published, so the Python console does without it. {HINT}")
        part_file.rename(path)
    except (URLError, OSError) as error:
        raise PackagesError(f"The Python console has no numpy, pandas and matplotlib: {url} can't be reached. {HINT}") from error
    finally:
        part_file.unlink(missing_ok=True)


def is_wanted() -> bool:
    """Return whether they are to be fetched: nobody brings other ones or refuses them, and they are not there yet."""
    is_disabled = "PYTHON_WHEELS" in os.environ or os.environ.get("PYTHON_WHEELS_URL") == "off"
    return not is_disabled and PYODIDE.exists() and not (folder() / COMPLETE).exists()


def version() -> str:
    return str(json.loads((PYODIDE / "package.json").read_text())["version"])


def folder() -> Path:
    return FOLDER / version()


def packages_add(say: Say) -> None:
    """Fetch them and put them into a new folder of the console's files. Consoles that open afterwards have them. Says why not."""
    try:
        packages = json.loads((PYODIDE / "pyodide-lock.json").read_text())["packages"]
        url = os.environ.get("PYTHON_WHEELS_URL") or RELEASE.format(version=version())
        fetch(packages, url=f"{url.rstrip('/')}/", into=folder(), say=say)
        frontend.node("copyPyodide.ts", "")
        say("The Python console has numpy, pandas, matplotlib and Pillow.")
    except PackagesError as error:
        say(str(error))
    except subprocess.CalledProcessError as error:
        say(f"The packages of the Python console could not be installed: {error.stderr.strip().splitlines()[-1:]}. {HINT}")
