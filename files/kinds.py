"""The kinds of files that can be attached and how large they may be: the one table of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["image", "pdf", "office", "text"]

MEGABYTE = 1024 * 1024
MESSAGE_FILES_MAX = 10
MESSAGE_BYTES_MAX = 50 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Limit:
    """How large one file of a kind may be; `plural` names them in a sentence."""

    megabytes: int
    plural: str

    @property
    def size_bytes(self) -> int:
        return self.megabytes * MEGABYTE


LIMITS: Mapping[Kind, Limit] = {
    "image": Limit(10, "images"),
    "pdf": Limit(20, "PDF files"),
    "office": Limit(5, "office documents"),
    "text": Limit(5, "text files"),
}
FILE_BYTES_MAX = max(limit.size_bytes for limit in LIMITS.values())


def limit_of(kind: Kind) -> Limit:
    return LIMITS[kind]
