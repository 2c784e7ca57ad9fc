"""What the chat agent is told about the artifacts of a conversation (SPEC 4.8): ids and previews, not full contents."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from agents.messages import CompactedHistory, ContextData, Entry
from artifacts.selectors import ArtifactPreview

NAME = "artifacts"
MAX_ARTIFACTS = 20
MAX_BYTES = 4096
MAX_PREVIEW_CHARS = 200
MAX_READ_CHARS = 2000  # masked before the preview is cut from it: a truncated secret could no longer be found


def artifacts_context(previews: Sequence[ArtifactPreview], mask: Callable[[str], str]) -> ContextData | None:
    """Return one JSON object per line, the artifact that was changed last first; None when there are no artifacts.

    To fit into MAX_BYTES, previews are removed first, starting with the oldest artifact's, then whole artifacts, oldest
    first.
    """
    if not previews:
        return None
    records = [_preview_fields(preview, mask, is_last=not place) for place, preview in enumerate(previews[:MAX_ARTIFACTS])]
    lines = [_line(each) for each in records]
    for place in reversed(range(len(lines))):
        if _size(lines) <= MAX_BYTES:
            break
        lines[place] = _line({**records[place], "preview": ""})
    while _size(lines) > MAX_BYTES:
        lines.pop()
    return ContextData(NAME, "\n".join(lines))


def is_known(context_data: ContextData, entries: Sequence[Entry]) -> bool:
    """Return whether the model's newest data of this name is the same, and is still in its context."""
    covered = 0
    for place in reversed(range(len(entries))):
        match entries[place]:
            case CompactedHistory(covers=covers):
                covered = max(covered, covers)
            case ContextData(name=context_data.name) as earlier:
                return place >= covered and earlier == context_data
            case _:
                pass
    return False


def _preview_fields(preview: ArtifactPreview, mask: Callable[[str], str], *, is_last: bool) -> dict[str, object]:
    start = " ".join(mask(preview.start).split())
    return {
        "id": str(preview.id),
        "title": mask(preview.title),
        "kind": preview.kind,
        "version": preview.number,
        **({"last_active": True} if is_last else {}),
        "preview": start[:MAX_PREVIEW_CHARS],
    }


def _line(record: dict[str, object]) -> str:
    return json.dumps({name: value for name, value in record.items() if value != ""}, ensure_ascii=False)


def _size(lines: Sequence[str]) -> int:
    return len("\n".join(lines).encode("utf-8", "replace"))
