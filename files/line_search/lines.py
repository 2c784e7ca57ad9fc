"""Lines that match."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MAX_LINE_LENGTH = 300  # characters of a line that are shown

Match = tuple[str, int, str]  # path, number of the line (from 1), the line


def matching_lines(texts: Iterable[tuple[str, str]], pattern: re.Pattern[str]) -> Iterator[Match]:
    """In the order of the texts; each line once, cut around its first match when it is long."""
    for path, text in texts:
        for number, line in enumerate(text.split("\n"), start=1):
            if found := pattern.search(line):
                start = max(0, min(found.start() - MAX_LINE_LENGTH // 3, len(line) - MAX_LINE_LENGTH))
                yield path, number, line[start : start + MAX_LINE_LENGTH].strip()
