"""What a scanner says of a file, and that it says nothing."""

from __future__ import annotations

import re

MAX_THREAT_CHARS = 80
_UNUSUAL = re.compile(r"[^A-Za-z0-9._:/+ -]")


class ScannerUnreachable(Exception):
    """The scanner can't be reached, or gave no verdict. The file is not checked."""


def threat_name(text: str) -> str:
    """Return the name of a threat as it may be shown and logged."""
    return _UNUSUAL.sub("", text).strip()[:MAX_THREAT_CHARS] or "malware"
