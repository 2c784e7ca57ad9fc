"""`make supply`: write the bill of materials, then refuse licences outside the list and packages with known holes.

OSV_DATABASE: a folder with OSV's JSON files, such as the unpacked PyPI/all.zip and npm/all.zip. Without it, holes are not looked for.
"""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path

from tools.frontend import OUTPUT, ROOT
from tools.supply.advisories import known_holes
from tools.supply.bill import write_bill
from tools.supply.licences import is_allowed
from tools.supply.packages import packages

BILL = OUTPUT.parent / "build" / "bill.json"


def main() -> None:
    contents = packages()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    write_bill(contents, version, BILL)
    print(f"{BILL.relative_to(ROOT)} lists {len(contents)} packages.")
    problems = [
        f"{each.name} {each.version} has the licence {each.licence!r}"
        for each in contents
        if each.licence and not is_allowed(each.name, each.licence)
    ]
    if database := os.environ.get("OSV_DATABASE"):
        problems += known_holes(contents, Path(database))
    else:
        print("OSV_DATABASE is not set, so known holes were not looked for.")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
