"""Resolve pyproject.toml into the lock files: `make lock`.

The locks are requirement files with hashes, because pip alone can install them. uv writes them, for every Python and platform at once. Its
own lock format is not used, because it contains the URL of the package index of whoever ran it.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "config" / "locks"
OPTIONS = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate", "--quiet"]
GROUPS: dict[str, list[str]] = {
    "runtime": ["pyproject.toml"],
    "dev": ["pyproject.toml", "--group", "dev", "--constraints", "config/locks/runtime.txt"],
    "build": ["--group", "build"],
}


def compile_lock(name: str, sources: list[str]) -> None:
    target = (LOCKS / f"{name}.txt").relative_to(ROOT)
    command = [sys.executable, "-m", "uv", "pip", "compile", *sources, *OPTIONS, "--output-file", str(target)]
    subprocess.run(command, cwd=ROOT, check=True)
    if "://" in (ROOT / target).read_text():
        sys.exit(f"{target} names a host; unset the index settings of pip and uv and lock again")


def main() -> None:
    if importlib.util.find_spec("uv") is None:
        sys.exit("make lock needs uv in the environment: python3 -m pip --python .venv/bin/python install uv")
    for name, sources in GROUPS.items():
        compile_lock(name, sources)


if __name__ == "__main__":
    main()
