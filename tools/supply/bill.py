"""The bill of materials as CycloneDX 1.4 JSON (https://cyclonedx.org/docs/1.4/json/): the same bytes for the same lock files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from tools.supply.packages import Package


def bill_of_materials(contents: Sequence[Package], version: str) -> dict[str, Any]:
    """Return the bill. It has no date, so that two builds of one commit do not differ; its serial number comes from its contents."""
    components = [_component(package) for package in contents]
    digest = hashlib.sha256(json.dumps(components, sort_keys=True).encode()).digest()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.4",
        "serialNumber": UUID(bytes=digest[:16], version=4).urn,
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "parley", "name": "parley", "version": version}},
        "components": components,
        "dependencies": [{"ref": "parley", "dependsOn": [package.url for package in contents]}],
    }


def write_bill(contents: Sequence[Package], version: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(bill_of_materials(contents, version), indent=1, sort_keys=True) + "\n")


def _component(package: Package) -> dict[str, Any]:
    scope, _, name = package.name.rpartition("/")
    component = {"type": "library", "bom-ref": package.url, "name": name, "version": package.version, "purl": package.url}
    hashes = [{"alg": algorithm, "content": digits} for algorithm, digits in package.hashes]
    return {
        **component,
        **({"group": scope} if scope else {}),
        **({"licenses": [{"expression": package.licence}]} if package.licence else {}),
        **({"hashes": hashes} if hashes else {}),
    }
