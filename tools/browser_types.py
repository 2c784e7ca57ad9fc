"""Write frontend/src/api/generated.ts, the TypeScript types of all that crosses the wire, and tables that both sides need.

python -m tools.browser_types    # `make types`; a test fails while the file is out of date
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import django

from tools.frontend import SOURCES, node

OUTPUT = SOURCES / "src" / "api" / "generated.ts"
HEADER = "// Made from the server's shapes by `make types` (tools/browser_types.py). Changes here are lost.\n"
IMPORTS = "import { msg } from '@lingui/core/macro'\n\n"


def types_source() -> str:
    """Return what OUTPUT should hold. Django must be set up; no server is needed."""
    from config.api.browser_types import browser_labels, browser_schema, browser_tables

    tables = [_constant(name, table) for name, table in browser_tables().items()]
    labels = [_labels(name, table) for name, table in browser_labels().items()]
    return "".join([HEADER, IMPORTS, node("generateTypes.ts", json.dumps(browser_schema())), *tables, *labels])


def _constant(name: str, table: Mapping[str, Any]) -> str:
    entries = "".join(f"  {key}: {json.dumps(entry)},\n" for key, entry in table.items())
    return f"\nexport const {name} = {{\n{entries}}} as const\n"


def _labels(name: str, table: Mapping[str, str]) -> str:
    """Return a constant of messages that Lingui finds and translates."""
    entries = "".join(f"  {key}: msg`{label}`,\n" for key, label in table.items())
    return f"\nexport const {name} = {{\n{entries}}} as const\n"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    OUTPUT.write_text(types_source())


if __name__ == "__main__":
    main()
