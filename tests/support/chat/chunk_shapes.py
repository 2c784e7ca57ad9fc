"""Every shape of a stream chunk that a test has read, for a check against the AI SDK's own schema at the end of the session."""

from __future__ import annotations

import json
import subprocess
from typing import Any

_chunks: dict[str, dict[str, Any]] = {}


def record_chunk(chunk: dict[str, Any]) -> dict[str, Any]:
    """Keep the chunk when it is the first of its shape; return it."""
    _chunks.setdefault(f"{chunk.get('type')} {_shape(chunk)}", chunk)
    return chunk


def schema_problems() -> str:
    """What the `uiMessageChunkSchema` of the npm package `ai` says against the chunks that were read; empty when all fit."""
    if not _chunks:
        return ""
    from tools.frontend import SOURCES, node_home

    command = [str(node_home() / "bin" / "node"), "contract/check-chunks.mjs"]
    lines = "\n".join(map(json.dumps, _chunks.values())).encode()  # ASCII: Node ends a line at U+2028, too
    result = subprocess.run(command, cwd=SOURCES, input=lines, capture_output=True, check=False)
    return "" if result.returncode == 0 else result.stderr.decode()


def _shape(value: Any) -> Any:
    """Keys and types, without the values."""
    if isinstance(value, dict):
        return {key: _shape(value[key]) for key in sorted(value)}
    return [_shape(item) for item in value[:1]] if isinstance(value, list) else type(value).__name__
