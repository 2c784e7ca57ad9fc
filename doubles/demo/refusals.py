"""What the demo says when the user did not allow a call."""

from __future__ import annotations

import re
from typing import Any

_REFUSED = re.compile(r"The user (?:did not allow|refused)\b")


def refusal_text(result: Any) -> str | None:
    """None: the call was not refused."""
    error = str(result.get("error", "")) if isinstance(result, dict) else ""
    if not _REFUSED.match(error):
        return None
    _, _, reason = error.partition("Reason:")
    why = f" You wrote: \u201c{reason.strip()}\u201d." if reason.strip() else ""
    return f"You did not allow that, so I left it, and nothing was changed.{why} What would you like instead?"
