"""Which store this is. An object in it has the id that the database knows, so that no process works with another store than all others:
it would store files where nobody finds them, and take those of others for lost.
"""

from __future__ import annotations

import time
from typing import Final, Literal
from uuid import UUID, uuid4

from django.conf import settings
from django.core.files.base import ContentFile

from files.models import KnownStore
from files.storage import content_read, file_storage

MARKER: Final = "parley-store"  # its name in the store
PATIENCE_S: Final = 5.0  # with the process that knew the store first, and writes the marker now
POLL_S: Final = 0.2
MARK_IT: Final = "python -m config files_adopt"

StoreState = Literal["same", "other", "away"]

_expected: UUID | None = None  # of this process, from its start on


def store_problem() -> str:
    """Return why this process must not work with its store, in sentences; "" when it may. The first process of a database marks the store.

    Raises FileStoreUnavailable, and OSError for a directory that can't be used. Needs the system role.
    """
    global _expected
    _expected = _known_id()
    marker = marker_read()
    if _expected is None:
        _expected = _remember(marker or uuid4())
        marker_write(_expected)
        return ""
    if marker is None:
        marker = _marker_soon()
    return "" if marker == _expected else _mismatch(marker)


def mismatch_with_database() -> str:
    """Return what `store_problem` would, and mark nothing. Raises OSError. Needs the system role."""
    database_id, marker = _known_id(), marker_read()
    return "" if database_id in (None, marker) else _mismatch(marker)


def store_state() -> StoreState:
    """Return whether the store is still the one of this process's start; "same" in one that has not asked for it."""
    if _expected is None:
        return "same"
    try:
        return "same" if marker_read() == _expected else "other"
    except OSError:
        return "away"


def store_adopt(using: str = "system") -> None:
    """Mark the store as the one of this database. `using`: the alias of a role that may know it."""
    marker_write(_known_id(using) or _remember(uuid4(), using))


def marker_read() -> UUID | None:
    """Return the store's id, or None when it has none. Raises OSError, FileStoreUnavailable among them, when nobody can tell."""
    try:
        return UUID(content_read(MARKER).decode("ascii"))
    except (FileNotFoundError, ValueError):
        return None


def marker_write(store_id: UUID) -> None:
    storage = file_storage()
    storage.delete(MARKER)  # a directory would keep it and give the new one another name
    storage.save(MARKER, ContentFile(str(store_id).encode()))


def _known_id(using: str = "system") -> UUID | None:
    return KnownStore.objects.using(using).values_list("store_id", flat=True).first()


def _remember(store_id: UUID, using: str = "system") -> UUID:
    """Let the database know the store, and return the id that it knows: that of the process that came first."""
    KnownStore.objects.using(using).bulk_create([KnownStore(store_id=store_id)], ignore_conflicts=True)
    return KnownStore.objects.using(using).values_list("store_id", flat=True).get()


def _marker_soon() -> UUID | None:
    end = time.monotonic() + PATIENCE_S
    while (marker := marker_read()) is None and time.monotonic() < end:
        time.sleep(POLL_S)
    return marker


def _mismatch(marker: UUID | None) -> str:
    place = settings.FILES_PLACE
    if marker is None:
        return f"{place} is not where this database's files are: it has no marker. Mount or name the right place; if it is new on purpose, run: {MARK_IT}"
    return f"{place} has the files of another database, or a copy that was marked anew. Name the right place; if it is this one, run: {MARK_IT}"
