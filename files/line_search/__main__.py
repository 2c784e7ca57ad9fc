"""python -m files.line_search: {"pattern", "flags", "texts", "limit"} as JSON on stdin, {"matches"} or {"problem"} on stdout.

A regular expression can take forever even on a short line; in this process the kernel ends it.
"""

from __future__ import annotations

import json
import re
import sys
from itertools import islice

from files.line_search.lines import matching_lines
from files.readers.confinement import confine

MEMORY_BYTES = 512 * 1024 * 1024
CPU_S = 2


def answer(request: dict[str, object]) -> dict[str, object]:
    try:
        pattern = re.compile(str(request["pattern"]), int(str(request["flags"])))
    except (re.error, OverflowError, RecursionError) as exc:
        return {"problem": f"The regular expression is wrong: {exc}."}
    texts = [(str(path), str(text)) for path, text in request["texts"]]  # type: ignore[attr-defined]
    return {"matches": list(islice(matching_lines(texts, pattern), int(str(request["limit"]))))}


if __name__ == "__main__":
    request = json.loads(sys.stdin.buffer.read())
    confine(MEMORY_BYTES, CPU_S)
    sys.stdout.write(json.dumps(answer(request)))
