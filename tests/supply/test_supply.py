"""What Parley is made of: a valid bill of materials, licences of a list, nothing younger than a week, no known holes."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7

from tools import lock
from tools.frontend import SOURCES
from tools.supply.advisories import known_holes, npm_order, python_order
from tools.supply.bill import bill_of_materials
from tools.supply.licences import is_allowed, licence_of_distribution
from tools.supply.packages import NPM_LOCK, Package, npm_packages, packages, python_packages

SCHEMA = json.loads(Path(__file__).with_name("cyclonedx-1.4.schema.json").read_text())  # Apache-2.0, CycloneDX
OURS = "parley"


def bill(contents: list[Package] | None = None) -> dict[str, Any]:
    return bill_of_materials(packages() if contents is None else contents, "1.0")


def test_the_bill_names_every_locked_package_and_is_valid() -> None:
    anything = Resource.from_contents({}, default_specification=DRAFT7)
    # Of SPDX's identifiers and of signatures, which have schemas of their own, the bill uses none.
    registry = Registry().with_resources([(f"http://cyclonedx.org/schema/{name}.schema.json", anything) for name in ("spdx", "jsf-0.82")])
    sbom = bill()
    assert [error.message for error in Draft7Validator(SCHEMA, registry=registry).iter_errors(sbom)] == []
    package_urls = {component["purl"].rpartition("@")[0] for component in sbom["components"]}
    assert {"pkg:pypi/django", "pkg:pypi/uvicorn", "pkg:npm/react", "pkg:npm/%40ai-sdk/react"} & package_urls >= {
        "pkg:pypi/django",
        "pkg:npm/react",
    }
    assert not {"pkg:pypi/pytest", "pkg:npm/vitest"} & package_urls, "development is not what runs"
    assert all(component["hashes"] for component in sbom["components"])
    assert json.dumps(bill()) == json.dumps(sbom), "the same files make the same bill"
    assert bill(packages()[1:])["serialNumber"] != sbom["serialNumber"]


def test_the_schema_would_find_a_mistake() -> None:
    sbom = bill([Package("npm", "tea", "1.0", "MIT")])
    sbom["components"][0]["type"] = "beverage"
    assert not Draft7Validator(SCHEMA).is_valid({**sbom, "dependencies": []})


def test_every_installed_and_every_npm_package_has_a_licence_of_the_list() -> None:
    installed = {package.name: licence_of_distribution(package) for package in distributions()}
    npm = {each.name: each.licence for each in npm_packages(json.loads(NPM_LOCK.read_text()), with_development=True)}
    violations = {name: licence for name, licence in (installed | npm).items() if name != OURS and not is_allowed(name, licence)}
    assert violations == {}


@pytest.mark.parametrize(
    ("licence", "is_fine"),
    [
        ("MIT", True),
        ("(MIT OR GPL-3.0-or-later)", True),
        ("MIT AND GPL-3.0-only", False),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("(AGPL-3.0-only OR GPL-2.0-only) AND MIT", False),
        ("AGPL-3.0-only", False),
        ("SSPL-1.0", False),
        ("SEE LICENSE IN FILE", False),
        ("", False),
    ],
)
def test_a_licence_is_read_as_an_expression(licence: str, is_fine: bool) -> None:
    assert is_allowed("tea", licence) is is_fine


def test_locks_take_nothing_younger_than_a_week(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: commands.append(command))
    monkeypatch.delenv("MAX_RELEASE_TIME", raising=False)
    lock.compile_lock("runtime", lock.GROUPS["runtime"])
    [command] = commands
    newest = datetime.fromisoformat(command[command.index("--exclude-newer") + 1])
    assert 7 <= (datetime.now(UTC) - newest).total_seconds() / 86_400 < 7.1
    assert "min-release-age=7" in (SOURCES / ".npmrc").read_text().splitlines()


def hole(name: str, ecosystem: str, **affected: Any) -> dict[str, Any]:
    return {"id": f"HOLE-{name}", "summary": "Bad.", "affected": [{"package": {"name": name, "ecosystem": ecosystem}, **affected}]}


def events(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"ranges": [{"type": "ECOSYSTEM", "events": [{kind: version} for kind, version in pairs]}]}


def test_known_holes_are_found_in_a_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        known_holes([], tmp_path)
    contents = [*python_packages("Tea_pot==1.10 \\\n    --hash=sha256:" + "a" * 64), Package("npm", "@tea/cup", "2.0.0-beta.2", "MIT")]
    advisories = {
        "by-range": hole("tea.pot", "PyPI", **events(("introduced", "0"), ("fixed", "1.11"))),
        "fixed-long-ago": hole("tea-pot", "PyPI", **events(("introduced", "0"), ("fixed", "1.9"))),
        "came-back": hole("@tea/cup", "npm", **events(("introduced", "0"), ("fixed", "1.0.0"), ("introduced", "2.0.0-alpha"))),
        "other-ecosystem": hole("tea-pot", "npm", versions=["1.10"]),
        "by-version": {**hole("tea-pot", "PyPI", versions=["1.10"]), "id": "HOLE-listed"},
        "withdrawn": {**hole("tea-pot", "PyPI", versions=["1.10"]), "withdrawn": "2026-01-01T00:00:00Z"},
    }
    for name, content in advisories.items():
        (tmp_path / "PyPI").mkdir(exist_ok=True)
        (tmp_path / "PyPI" / f"{name}.json").write_text(json.dumps(content))
    assert sorted(line.split(":")[0] for line in known_holes(contents, tmp_path)) == ["HOLE-@tea/cup", "HOLE-listed", "HOLE-tea.pot"]


def test_versions_are_ordered_as_their_ecosystem_does() -> None:
    npm = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.2.0", "1.10.0"]
    assert sorted(set(npm), key=npm_order) == npm
    python = ["1.0.dev1", "1.0a1", "1.0", "1.0.post1", "1.9", "1.10"]
    assert sorted(set(python), key=python_order) == python
