"""Matching lines of texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MAX_LINE_CHARS = 300  # characters shown of a line

Match = tuple[str, int, str]  # path, line number (from 1), line


def matching_lines(texts: Iterable[tuple[str, str]], pattern: re.Pattern[str]) -> Iterator[Match]:
    """Yield matching lines in the order of the texts, each line once. Long lines are cut around their first match."""
    for path, text in texts:
        for number, line in enumerate(text.split("\n"), start=1):
            if match := pattern.search(line):
                start = max(0, min(match.start() - MAX_LINE_CHARS // 3, len(line) - MAX_LINE_CHARS))
                yield path, number, line[start : start + MAX_LINE_CHARS].strip()
