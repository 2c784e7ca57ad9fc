"""Values of labels that people choose, such as models' names: the first ones are kept, and all later ones become `other`."""

from __future__ import annotations

from typing import Final

OTHER: Final = "other"
MAX_CHARS: Final = 80


class BoundedLabel:
    """The values that one label has had in this process."""

    def __init__(self, max_values: int) -> None:
        self._max_values = max_values
        self._labels: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """Return the value for `text`. Threads may add a few values more than there may be."""
        label = self._labels.get(text)
        if label is None:
            if len(self._labels) >= self._max_values:
                return OTHER
            label = self._labels[text] = text[:MAX_CHARS] or OTHER
        return label


provider_label: Final = BoundedLabel(30)
model_label: Final = BoundedLabel(60)
error_label: Final = BoundedLabel(100)
task_label: Final = BoundedLabel(100)
organization_label: Final = BoundedLabel(500)
