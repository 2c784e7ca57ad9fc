"""The documents lead to what is there, and so do the lists in the docstrings of rooms."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATH = re.compile(r"`([a-z_]+/[\w./-]*)`")
NAME_IN_MODULE = re.compile(r"`([\w./]+\.(?:py|ts|tsx))` \(`([\w.]+)`\)")
LIST_ENTRY = re.compile(r"^- (`[^:]+): ", re.MULTILINE)
DOCUMENTS = ["CONTRIBUTING.md", "README.md", "SECURITY.md", *sorted(f"docs/{path.name}" for path in ROOT.glob("docs/*.md"))]
ONLY_IN_THE_WHEEL = {"parley/app"}
ROOMS = [path.parent for path in sorted(ROOT.glob("[a-z]*/**/__init__.py")) if path.relative_to(ROOT).parts[0] not in {"frontend", "tests"}]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_its_paths_exist(document: str) -> None:
    text = (ROOT / document).read_text()
    paths = {path for path in PATH.findall(text) if (ROOT / path.split("/")[0]).is_dir()} - ONLY_IN_THE_WHEEL
    assert [path for path in sorted(paths) if not any((root / path).exists() for root in (ROOT, ROOT / "frontend" / "src"))] == []


def test_the_glossary_names_what_its_modules_have() -> None:
    references = NAME_IN_MODULE.findall((ROOT / "docs/glossary.md").read_text())
    assert [
        reference for reference in references if not re.search(rf"\b{reference[1].rpartition('.')[2]}\b", (ROOT / reference[0]).read_text())
    ] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(ROOT)))
def test_a_room_lists_modules_that_it_has(room: Path) -> None:
    docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""
    names = {name for head in LIST_ENTRY.findall(docstring) for name in re.findall(r"`(\w+)(?:\.py|/)?`", head)}
    assert [name for name in sorted(names) if not any((room / file_name).exists() for file_name in (name, f"{name}.py"))] == []
