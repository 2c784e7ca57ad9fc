"""An upload that needs no disk while it comes in."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadhandler import MemoryFileUploadHandler


class AllInMemory(MemoryFileUploadHandler):
    def handle_raw_input(self, *_: Any, **__: Any) -> None:
        self.activated = True
