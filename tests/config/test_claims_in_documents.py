"""What the documents name is there: links, commands, tasks; and what they must have is in them: pictures, boot data, REST calls."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from django.core.management import get_commands

from chat.api.boot import Boot
from tests.security.entry_points import REST, TASKS

ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENTS: Final = [ROOT / name for name in ("CONTRIBUTING.md", "README.md", "SECURITY.md")] + sorted(ROOT.glob("docs/**/*.md"))
TEXTS: Final = {path: re.sub(r"^```.*?^```", "", path.read_text(), flags=re.DOTALL | re.MULTILINE) for path in DOCUMENTS}
EVERYTHING: Final = "\n".join(path.read_text() for path in DOCUMENTS)
LINK: Final = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")


def anchors(path: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", TEXTS.get(path, ""), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_somewhere(document: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (document.parent / name).resolve() if name else document
    return target.exists() and (not anchor or anchor in anchors(target))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_its_links_lead_to_documents_headings_and_pictures(document: Path) -> None:
    assert [link for link in LINK.findall(TEXTS[document]) if not leads_somewhere(document, link)] == []


def test_every_picture_is_shown() -> None:
    assert [path.name for path in sorted((ROOT / "docs" / "screenshots").iterdir()) if f"screenshots/{path.name}" not in EVERYTHING] == []


def test_the_commands_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"manage\.py ([a-z]\w+)", EVERYTHING)) - set(get_commands()) == set()
    assert set(re.findall(r"`make ([a-z-]+)", EVERYTHING)) - targets == set()


def test_the_tasks_that_are_named_exist() -> None:
    assert set(re.findall(r"`(\w+\.tasks\.\w+)`", EVERYTHING)) - set(TASKS) == set()


def test_the_protocol_has_the_fields_of_the_boot_data() -> None:
    """Those of the outermost object: what is inside of brackets goes first."""
    boot = (ROOT / "docs" / "protocol.md").read_text().partition("the id `boot`")[2].partition("```\n{")[2].partition("}\n```")[0]
    while boot != (flat := re.sub(r"\{[^{}]*\}|\[[^\[\]]*\]", "", boot)):
        boot = flat
    assert set(re.findall(r'"(\w+)":', boot)) == {field.alias or name for name, field in Boot.model_fields.items()}


def test_every_rest_call_is_described() -> None:
    """Below api/, and what tokens and sharing have in documents of their own, without it."""
    text = re.sub(r"<[^>]*>", "<>", EVERYTHING)
    calls = [re.sub(r"<[^>]*>", "<>", path.removeprefix("api/")) for path in REST]
    assert [call for call in calls if f"api/{call}" not in text and f"`{call}" not in text] == []
