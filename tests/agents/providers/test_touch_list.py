"""CONTRIBUTING says where a new provider goes, and no other place names providers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from admin_config.defaults.providers import DEMO_PROVIDER, PROVIDERS
from admin_config.defaults.wires import WIRES
from agents.providers.registry import adapter_class

ROOT = Path(__file__).parents[3]
PRODUCT = ("accounts", "admin_config", "agents", "artifacts", "chat", "config", "files", "security", "tenants")
TABLES = {"admin_config/defaults/providers.py", "admin_config/defaults/wires.py"}
IDENTITY_PROVIDERS = {"accounts/models/sign_on.py", "accounts/social/adapter.py", "config/env.py"}  # they name where people sign in
SDK_LOGGERS = {"config/settings/logging.py"}  # the loggers of the SDKs
ORDINARY_WORDS = {DEMO_PROVIDER}  # also the name of the demo organization


def test_the_touch_list_names_files_that_are_there() -> None:
    rows = [row for row in (ROOT / "CONTRIBUTING.md").read_text().splitlines() if row.startswith("| provider ")]
    assert len(rows) == 2
    paths = [path for row in rows for path in re.findall(r"`([\w./<>]+/[\w./<>]*)`", row)]
    assert set(paths) >= TABLES
    assert [path for path in paths if "<" not in path and not (ROOT / path).exists()] == []


def test_no_other_module_of_the_product_names_a_provider() -> None:
    names = PROVIDERS.keys() - ORDINARY_WORDS
    mentions = {f"{path}: {word}" for path in modules() for word in strings(ROOT / path) & names}
    assert mentions == set()


def modules() -> Iterator[str]:
    for app in PRODUCT:
        for path in sorted((ROOT / app).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if (
                name not in TABLES | IDENTITY_PROVIDERS | SDK_LOGGERS
                and "/migrations/" not in name
                and not re.match(r"agents/providers/(google|openai|anthropic)/", name)
            ):
                yield name


def strings(path: Path) -> set[str]:
    return {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_docs_tell_of_it(provider: str) -> None:
    table = (ROOT / "docs/providers.md").read_text().partition("## Providers and wires")[2].partition("\n## ")[0]
    assert f"`{provider}`" in table
    folder, module = adapter_class(provider).__module__.split(".")[-2:]
    assert f"`{folder}/{module}.py`" in table


@pytest.mark.parametrize("variable", [spec.key_variable for spec in PROVIDERS.values() if spec.key_variable])
def test_the_operators_guide_tells_of_its_key(variable: str) -> None:
    assert f"`{variable}`" in (ROOT / "docs/operations.md").read_text()


def test_every_wire_has_a_provider_and_every_provider_a_wire() -> None:
    assert {spec.wire for spec in PROVIDERS.values()} == WIRES.keys()
