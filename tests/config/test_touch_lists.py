"""The touch lists of CONTRIBUTING.md name what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {".py", ".ts", ".tsx"}
QUOTED = re.compile(r"`([^`]+)`")
IDENTIFIER = re.compile(r"[A-Z][A-Za-z_]+")


def touch_lists() -> dict[str, str]:
    """The second column of each row, by the first."""
    text = (ROOT / "CONTRIBUTING.md").read_text().split("## Touch lists")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ", 1) for line in text.splitlines() if line.startswith("| ")]
    return {new: touch for new, touch in rows if new != "new"}


LISTS = touch_lists()


def paths_in(touch: str) -> list[str]:
    return [name for name in QUOTED.findall(touch) if "/" in name and "<" not in name and " " not in name]


def sources_at(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.suffix in SOURCES]


@pytest.mark.parametrize("new", LISTS)
def test_the_files_to_touch_exist(new: str) -> None:
    assert [path for path in paths_in(LISTS[new]) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("new", LISTS)
def test_the_tables_to_extend_are_in_the_files_beside_them(new: str) -> None:
    files = [file for path in paths_in(LISTS[new]) for file in sources_at(ROOT / path)]
    text = "\n".join(file.read_text() for file in files)
    assert [name for name in QUOTED.findall(LISTS[new]) if files and IDENTIFIER.fullmatch(name) and name not in text] == []
