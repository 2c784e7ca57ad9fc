"""Search in the texts of a folder: plain words in this process, regular expressions in a child process that can be killed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import islice

from django.conf import settings

from files.line_search.lines import Match, matching_lines

MAX_SEARCH_S = 8.0
TOO_LONG = "The regular expression takes too long. Use a simpler one, or plain words."


class BadPattern(Exception):
    """The regular expression is invalid or too slow. The message says why."""


def texts_search(texts: Sequence[tuple[str, str]], query: str, *, is_regex: bool, ignore_case: bool, limit: int) -> list[Match]:
    """Return the first `limit` matching lines. Blocks. Raises BadPattern."""
    flags = re.IGNORECASE if ignore_case else 0
    if is_regex:
        return _search_in_child(texts, query, flags, limit)
    return list(islice(matching_lines(texts, re.compile(re.escape(query), flags)), limit))


def _search_in_child(texts: Sequence[tuple[str, str]], pattern: str, flags: int, limit: int) -> list[Match]:
    request = json.dumps({"pattern": pattern, "flags": flags, "texts": texts, "limit": limit}).encode()
    command = [sys.executable, "-s", "-m", "files.line_search"]
    try:
        done = subprocess.run(command, input=request, capture_output=True, timeout=MAX_SEARCH_S, env={}, cwd=settings.BASE_DIR, check=False)
    except subprocess.TimeoutExpired as error:
        raise BadPattern(TOO_LONG) from error
    if done.returncode:
        raise BadPattern(TOO_LONG)
    answer = json.loads(done.stdout)
    if "problem" in answer:
        raise BadPattern(str(answer["problem"])[:300])
    return [(str(path), int(number), str(line)) for path, number, line in answer["matches"]]
