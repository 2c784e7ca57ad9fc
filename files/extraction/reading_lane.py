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

from files.extraction.text import file_text_read
from files.knowledge.services import knowledge_text_read
from tenants.postgres.prepared_statements import read_rows

log = structlog.get_logger(__name__)

CORES = os.cpu_count() or 1
SWEEP_S = 5.0
OWN_TASK_FIRST = timedelta(seconds=10)  # a new file has its task, and the bytes of a knowledge file follow its row

Reader = Callable[..., None]  # keyword arguments organization_id and file_id

_READERS: dict[str, Reader] = {"files_file": file_text_read, "files_knowledgefile": knowledge_text_read}
# Plain SQL and prepared, because an idle worker asks it all the time, and the ORM took 3 ms of CPU to compile it.
_PENDING_FILES = " UNION ALL ".join(
    f"""(
    SELECT '{table}', organization_id, id FROM {table}
    WHERE state = 'pending' AND (claimed_until IS NULL OR claimed_until < STATEMENT_TIMESTAMP()) AND created_at < STATEMENT_TIMESTAMP() - %s
    ORDER BY row_number() OVER (PARTITION BY organization_id ORDER BY created_at), created_at LIMIT {CORES}
)"""  # noqa: S608 of our own names
    for table in _READERS
)


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
            for kind, organization_id, file_id in read_rows(_PENDING_FILES, [OWN_TASK_FIRST] * len(_READERS), using="system"):
                if len(self._waiting) < CORES:
                    self.add(_READERS[kind], organization_id, file_id)
        finally:
            connections.close_all()

    def close(self) -> None:
        """Begin no more files. Those that wait are found by other workers."""
        self._is_ending.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
