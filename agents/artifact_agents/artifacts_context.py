"""What the chat agent is told of the artifacts beside the conversation (SPEC 4.8): where they are, not what is in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from agents.engine.messages import CompactedHistory, ContextData, Entry
from artifacts.selectors import ArtifactPreview

NAME = "artifacts"
MAX_ARTIFACTS = 20
MAX_BYTES = 4096
MAX_PREVIEW_CHARS = 200  # characters
MAX_READ_CHARS = 2000  # characters that are looked through for secrets before they are cut: half a secret could not be found any more


def artifacts_context(previews: Sequence[ArtifactPreview], mask: Callable[[str], str]) -> ContextData | None:
    """One JSON object a line, the artifact that was changed last first; None when there are none.

    What does not fit into MAX_BYTES goes in this order: the previews of the oldest, then the oldest themselves.
    """
    if not previews:
        return None
    shown = [_preview_fields(preview, mask, is_last=not place) for place, preview in enumerate(previews[:MAX_ARTIFACTS])]
    lines = [_line(each) for each in shown]
    for place in reversed(range(len(lines))):
        if _size(lines) <= MAX_BYTES:
            break
        lines[place] = _line({**shown[place], "preview": ""})
    while _size(lines) > MAX_BYTES:
        lines.pop()
    return ContextData(NAME, "\n".join(lines))


def is_known(context_data: ContextData, entries: Sequence[Entry]) -> bool:
    """Whether the model has read the same last, and still has it in its context."""
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


def _line(shown: dict[str, object]) -> str:
    return json.dumps({name: value for name, value in shown.items() if value != ""}, ensure_ascii=False)


def _size(lines: Sequence[str]) -> int:
    return len("\n".join(lines).encode("utf-8", "replace"))
