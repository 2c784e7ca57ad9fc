"""Kinds of files that can be attached, and their size limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

FileKind = Literal["image", "pdf", "office", "text"]

MEGABYTE = 1024 * 1024
MAX_MESSAGE_FILES = 10
MAX_MESSAGE_BYTES = 50 * MEGABYTE
MAX_PICTURE_PIXELS = 50_000_000
# Of a picture's clean copy, on each side and in bytes. Claude refuses a request with more than 20 pictures when one of them is larger, and
# any picture of more than 5 MB in base64 (https://platform.claude.com/docs/en/build-with-claude/vision). No model looks at more pixels.
MAX_SHOWN_SIDE = 2000
MAX_SHOWN_BYTES = 3_900_000


@dataclass(frozen=True, slots=True)
class SizeLimit:
    """The size limit of one kind of files."""

    megabytes: int

    @property
    def size_bytes(self) -> int:
        return self.megabytes * MEGABYTE


LIMITS: Mapping[FileKind, SizeLimit] = {
    "image": SizeLimit(10),
    "pdf": SizeLimit(20),
    "office": SizeLimit(5),
    "text": SizeLimit(5),
}
MAX_FILE_BYTES = max(limit.size_bytes for limit in LIMITS.values())


def limit_of(kind: FileKind) -> SizeLimit:
    return LIMITS[kind]
