"""Resolve pyproject.toml into the lock files: `make lock`.

Nothing younger than a week is taken: most poisoned releases are found within days. For an urgent fix, name its time as MAX_RELEASE_TIME
(RFC 3339); npm's twin is `min-release-age` in frontend/.npmrc.

The locks are requirement files with hashes, because pip alone can install them. uv writes them, for every Python and platform at once. Its
own lock format is not used, because it contains the URL of the package index of whoever ran it.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "config" / "locks"
OPTIONS = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate", "--quiet"]
GROUPS: dict[str, list[str]] = {
    "runtime": ["pyproject.toml"],
    "dev": ["pyproject.toml", "--group", "dev", "--constraints", "config/locks/runtime.txt"],
    "build": ["--group", "build"],
    "wheel": ["--group", "wheel", "--constraints", "config/locks/dev.txt"],
    "deploy": ["--group", "deploy", "--constraints", "config/locks/dev.txt"],
}


MIN_AGE = timedelta(days=7)  # of a release


def week_ago(now: datetime) -> str:
    return (now - MIN_AGE).strftime("%Y-%m-%dT%H:%M:%SZ")


def compile_lock(name: str, sources: list[str]) -> None:
    target = (LOCKS / f"{name}.txt").relative_to(ROOT)
    newest = ["--exclude-newer", os.environ.get("MAX_RELEASE_TIME") or week_ago(datetime.now(UTC))]
    command = [sys.executable, "-m", "uv", "pip", "compile", *sources, *OPTIONS, *newest, "--output-file", str(target)]
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
