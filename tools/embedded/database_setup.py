"""Database setup before the first request: migrations and demo data, skipped while nothing that they depend on has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from tools.embedded.layout import ROOT, Layout
from tools.embedded.programs import Program

INPUT_PATTERNS = ("*/migrations/*.py", "*/management/commands/*.py", "*/defaults/*.py", "config/locks/runtime.txt", "tools/embedded/*.sql")


def code_hash() -> str:
    """Return a hash of the migrations, commands, platform defaults and package versions."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in INPUT_PATTERNS for path in ROOT.glob(pattern)):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def is_prepared(layout: Layout, *, demo: bool) -> bool:
    """Return whether the embedded database was set up with this code, and with the demo accounts open or closed as they should be now."""
    try:
        record = json.loads(layout.prepared.read_text())
    except (OSError, ValueError):
        return False
    return bool(record.get("code") == code_hash() and record.get("demo") is demo)


def clear_prepared(layout: Layout) -> None:
    """Mark the database as not prepared before it changes, so that an interrupted setup is repeated."""
    layout.prepared.unlink(missing_ok=True)


def mark_prepared(layout: Layout, *, demo: bool) -> None:
    layout.prepared.write_text(json.dumps({"code": code_hash(), "demo": demo}))


def migrate(env: Mapping[str, str], logs: Path) -> None:
    Program("migrate", ["manage.py", "migrate", "--database=owner", "--no-input", "-v", "1"], env, logs).run()


def seed_demo(env: Mapping[str, str], logs: Path) -> None:
    Program("demo_seed", ["manage.py", "demo_seed"], env, logs).run()


def close_demo(env: Mapping[str, str], logs: Path) -> None:
    """Close the demo accounts, so that nobody can sign in with the published passwords. Does nothing without demo accounts."""
    Program("demo_seed", ["manage.py", "demo_seed", "--close"], env, logs).run()
