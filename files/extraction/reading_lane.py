"""The threads of a worker in which documents are read: as many at once as there are cores, however many wait.

Tasks wait for theirs, so that what is not read yet waits in the lane "files", where organizations take turns. While threads are idle, a sweep
finds the files whose task was lost or whose reader died, so none stays pending. Claims keep two workers from one file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from threading import Event, Lock, Thread
from uuid import UUID

import structlog
from django.db import connections
from django.db.models import Window
from django.db.models.functions import Now, RowNumber

from files.extraction.claims import unclaimed
from files.extraction.text import file_text_read
from files.knowledge.models import KnowledgeFile
from files.knowledge.services import knowledge_text_read
from files.models import File

log = structlog.get_logger(__name__)

CORES = os.cpu_count() or 1
SWEEP_S = 5.0
OWN_TASK_FIRST = timedelta(seconds=10)  # a new file has its task, and the bytes of a knowledge file follow its row

Reader = Callable[..., None]  # keyword arguments organization_id and file_id


class ReadingLane:
    """The lane of this process. `current()` creates it on first use."""

    _current: ReadingLane | None = None
    _creation = Lock()

    @classmethod
    def current(cls) -> ReadingLane:
        with cls._creation:
            if cls._current is None:
                cls._current = cls()
            return cls._current

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(CORES, thread_name_prefix="documents")
        self._waiting: set[UUID] = set()
        self._lock = Lock()
        self._is_ending = Event()

    def add(self, read: Reader, organization_id: UUID, file_id: UUID) -> Future[None] | None:
        """Read the file when a core is free. Returns at once, with None for one that waits here already."""
        with self._lock:
            if file_id in self._waiting or self._is_ending.is_set():
                return None
            self._waiting.add(file_id)
            return self._threads.submit(self._read, read, organization_id, file_id)

    def read(self, read: Reader, organization_id: UUID, file_id: UUID) -> None:
        """Read the file and wait for its end; or for nothing, when it waits here already or this worker ends."""
        if reading := self.add(read, organization_id, file_id):
            with suppress(CancelledError):
                reading.result()

    def _read(self, read: Reader, organization_id: UUID, file_id: UUID) -> None:
        try:
            read(organization_id=organization_id, file_id=file_id)
        except Exception:
            log.exception("file_not_read", file_id=str(file_id))  # its claim ends, and a sweep finds it again
        finally:
            connections.close_all()
            with self._lock:
                self._waiting.discard(file_id)

    def start_sweep(self) -> None:
        Thread(target=self._sweep_forever, name="document-sweep", daemon=True).start()

    def _sweep_forever(self) -> None:
        while not self._is_ending.wait(SWEEP_S):
            try:
                self.sweep()
            except Exception:
                log.exception("file_sweep_failed")

    def sweep(self) -> None:
        """Add files that nobody reads, as many as there are idle threads: the oldest of each organization first."""
        try:
            for model, read in ((File, file_text_read), (KnowledgeFile, knowledge_text_read)):
                for organization_id, file_id in _forgotten_files(model)[: max(CORES - len(self._waiting), 0)]:
                    self.add(read, organization_id, file_id)
        finally:
            connections.close_all()

    def close(self) -> None:
        """Begin no more files. Those that wait are found by other workers."""
        self._is_ending.set()
        self._threads.shutdown(wait=False, cancel_futures=True)


def _forgotten_files(model: type[File | KnowledgeFile]) -> list[tuple[UUID, UUID]]:
    pending = model.unscoped.using("system").filter(unclaimed(), state=model.State.PENDING, created_at__lt=Now() - OWN_TASK_FIRST)
    turn = Window(RowNumber(), partition_by="organization_id", order_by="created_at")
    return list(pending.order_by(turn, "created_at").values_list("organization_id", "pk")[:CORES])
