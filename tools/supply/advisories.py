"""Known holes in the locked packages, from a copy of the OSV database on disk (https://ossf.github.io/osv-schema/)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from tools.supply.packages import Package

Order = Callable[[str], Any]


def known_holes(contents: Iterable[Package], database: Path) -> list[str]:
    """Return a line for each hole that one of the packages has: its id, the package and the summary.

    `database`: a folder with OSV's JSON files, at any depth. Raises FileNotFoundError when there are none.
    """
    files = sorted(database.rglob("*.json"))
    if not files:
        raise FileNotFoundError(f"There is no OSV file in {database}.")
    by_name: dict[tuple[str, str], Package] = {(package.ecosystem, package.name): package for package in contents}
    holes = []
    for file in files:
        hole = json.loads(file.read_bytes())
        if "withdrawn" not in hole:
            holes += [
                f"{hole['id']}: {package.name} {package.version}: {hole.get('summary', '')}"
                for package in _affected_packages(hole, by_name)
            ]
    return holes


def _affected_packages(hole: Mapping[str, Any], by_name: Mapping[tuple[str, str], Package]) -> Iterator[Package]:
    """Yield the packages that the hole is in, each once."""
    hit = {}
    for entry in hole.get("affected", []):
        identity = entry.get("package", {})
        name = str(identity.get("name", ""))
        key = (identity.get("ecosystem", ""), re.sub(r"[-_.]+", "-", name).lower() if identity.get("ecosystem") == "PyPI" else name)
        package = by_name.get(key)
        if package and _is_affected(package, entry):
            hit[package.url] = package
    yield from hit.values()


def _is_affected(package: Package, entry: Mapping[str, Any]) -> bool:
    order = python_order if package.ecosystem == "PyPI" else npm_order
    ranges = [each["events"] for each in entry.get("ranges", []) if each.get("type") in ("ECOSYSTEM", "SEMVER")]
    return package.version in entry.get("versions", []) or any(_is_in(package.version, events, order) for events in ranges)


def _is_in(version: str, events: Sequence[Mapping[str, str]], order: Order) -> bool:
    """Return whether the version lies in a range (OSV schema, evaluation): the last event at or below it decides."""
    place, is_in = order(version), False
    for event in sorted(events, key=lambda event: order(next(iter(event.values())))):
        (kind, at), *_ = event.items()
        if kind == "introduced" and place >= order(at):
            is_in = True
        elif (kind == "fixed" and place >= order(at)) or (kind == "last_affected" and place > order(at)):
            is_in = False
    return is_in


def python_order(version: str) -> Any:
    try:
        return Version(version)
    except InvalidVersion:
        return Version("0")


def npm_order(version: str) -> Any:
    """Return what versions compare by (https://semver.org, 11): a release is above its own previews."""
    numbers, _, preview = version.partition("+")[0].partition("-")
    parts = [int(number) if number.isdigit() else 0 for number in [*numbers.split("."), "0", "0"][:3]]
    identifiers = [(0, int(each), "") if each.isdigit() else (1, 0, each) for each in preview.split(".")] if preview else []
    return (parts, not preview, identifiers)
