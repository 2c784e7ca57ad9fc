"""The packages that a running Parley is made of, read from the lock files; nothing is downloaded."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any, Literal
from urllib.parse import quote

from tools.frontend import ROOT, SOURCES
from tools.supply.licences import licence_of_distribution

RUNTIME_LOCK = ROOT / "config" / "locks" / "runtime.txt"
NPM_LOCK = SOURCES / "package-lock.json"
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^ \\;]+)")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Package:
    """One locked package."""

    ecosystem: Literal["PyPI", "npm"]  # as OSV calls them
    name: str
    version: str
    licence: str  # an SPDX expression, or the package's own words; empty: unknown
    hashes: tuple[tuple[str, str], ...] = ()  # algorithm as CycloneDX calls it, and hex digits

    @property
    def url(self) -> str:
        """The package URL (purl)."""
        return f"pkg:{self.ecosystem.lower()}/{quote(self.name, safe='/')}@{quote(self.version, safe='')}"


def packages() -> list[Package]:
    """Return all packages of the running product, sorted. Python's licences are read from what is installed."""
    return sorted([*python_packages(RUNTIME_LOCK.read_text()), *npm_packages(json.loads(NPM_LOCK.read_text()))], key=lambda each: each.url)


def python_packages(lock: str) -> Iterator[Package]:
    """Yield the packages of a requirements file with hashes, also those for other platforms."""
    for block in re.split(r"\n(?=\S)", lock):
        if match := PINNED.match(block):
            name = re.sub(r"[-_.]+", "-", match[1]).lower()
            packages = _find_distribution(name)
            yield Package(
                "PyPI",
                name,
                match[2],
                licence_of_distribution(packages) if packages else "",
                tuple(("SHA-256", digits) for digits in HASH.findall(block)),
            )


def npm_packages(lock: dict[str, Any], *, with_development: bool = False) -> Iterator[Package]:
    """Yield the packages of a package-lock.json (version 3), each name and version once."""
    versions = set()
    for path, entry in lock["packages"].items():
        name = path.rpartition("node_modules/")[2]
        is_ours = not name or entry.get("link") or (name, entry["version"]) in versions
        if is_ours or (entry.get("dev") and not with_development):
            continue
        versions.add((name, entry["version"]))
        yield Package("npm", name, entry["version"], entry.get("license", ""), tuple(_npm_hashes(entry.get("integrity", ""))))


def _npm_hashes(integrity: str) -> Iterator[tuple[str, str]]:
    for each in integrity.split():
        algorithm, _, digest = each.partition("-")
        yield {"sha512": "SHA-512", "sha384": "SHA-384", "sha256": "SHA-256", "sha1": "SHA-1"}[algorithm], base64.b64decode(digest).hex()


def _find_distribution(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:  # for another platform
        return None
