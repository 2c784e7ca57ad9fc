"""Plain columns that hold the id of a row of a higher layer, which a model can't say. Added by tenants.deletion.registry."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

# By the label of the parent, such as `chat.Conversation`: the labels of the children and their columns.
PLAIN_KEYS: Final[dict[str, list[tuple[str, str]]]] = defaultdict(list)
