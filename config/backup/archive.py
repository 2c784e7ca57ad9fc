"""A backup's directory: the parts `database` and `files`, and the manifest, which is written last and says what the others are."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from config.backup.sealing import PartDamaged, SealedReader, SealingWriter

FORMAT = 1
MANIFEST, DATABASE, FILES = "manifest", "database", "files"
SUFFIXES = {MANIFEST: ".json", DATABASE: ".dump", FILES: ".tar"}
SEALED = ".sealed"
BLOCK_BYTES = 1024 * 1024


class BackupError(Exception):
    """A backup can't be made, read or restored. The message says why and what to do."""


@dataclass(frozen=True)
class Part:
    """What the file of a part is, as it lies in the directory."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What is in a backup. It names credential keys by id and holds none."""

    made_at: str  # ISO 8601
    postgres_major: int  # of the pg_dump that made it; pg_restore must be as new
    migrations: list[str]  # app.name, all that were applied
    rows: dict[str, int]  # by table
    files: int
    lost_files: list[str]  # rows name them, and the storage has not got them
    credential_keys: list[str]
    parts: dict[str, Part] = field(default_factory=dict)
    format: int = FORMAT


@dataclass(frozen=True)
class Archive:
    """The directory. `key` is None for a backup that is not encrypted."""

    directory: Path
    key: bytes | None

    def path(self, name: str) -> Path:
        return self.directory / (name + SUFFIXES[name] + (SEALED if self.key else ""))

    @contextmanager
    def new_part(self, name: str) -> Iterator[BinaryIO]:
        """Give a stream into a new part."""
        with self.path(name).open("xb") as target:
            if self.key is None:
                yield target
                return
            writer = SealingWriter(target, self.key, name)
            yield cast(BinaryIO, writer)
            writer.finish()

    @contextmanager
    def reader(self, name: str) -> Iterator[BinaryIO]:
        """Give the stream of a part. Raises BackupError, also while it is read."""
        if not self.path(name).exists():
            raise BackupError(f"{self.path(name)} is missing: this is no complete backup.")
        try:
            with self.path(name).open("rb") as source:
                yield (
                    source
                    if self.key is None
                    else cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, SealedReader(source, self.key, name)), BLOCK_BYTES))
                )
        except PartDamaged as error:
            raise BackupError(f"{self.path(name)} was changed or cut off, or BACKUP_KEY is not the key that it was made with.") from error

    def describe(self, name: str) -> Part:
        with self.path(name).open("rb") as source:
            return Part(self.path(name).stat().st_size, hashlib.file_digest(source, "sha256").hexdigest())

    def write_manifest(self, manifest: Manifest) -> None:
        with self.new_part(MANIFEST) as target:
            target.write(json.dumps(asdict(manifest), indent=2).encode())

    def read_manifest(self) -> Manifest:
        """Return the manifest. Raises BackupError."""
        with self.reader(MANIFEST) as source:
            text = source.read()
        try:
            fields = json.loads(text)
            if fields["format"] == FORMAT:
                return Manifest(**fields | {"parts": {name: Part(**part) for name, part in fields["parts"].items()}})
        except (ValueError, KeyError, TypeError) as error:
            raise BackupError(f"{self.path(MANIFEST)} is no manifest of a backup.") from error
        raise BackupError(f"This backup has the format {fields['format']}, and this version of Parley reads {FORMAT}.")


def archive_open(directory: Path, key: bytes | None) -> Archive:
    """Return the archive, encrypted or not, as it lies there. Raises BackupError."""
    if (directory / f"{MANIFEST}{SUFFIXES[MANIFEST]}").exists():
        return Archive(directory, None)
    if not (directory / f"{MANIFEST}{SUFFIXES[MANIFEST]}{SEALED}").exists():
        raise BackupError(f"{directory} has no manifest: it is no backup, or one that did not come to its end.")
    if key is None:
        raise BackupError("This backup is encrypted: set BACKUP_KEY to the key that it was made with.")
    return Archive(directory, key)


def archive_verify(archive: Archive) -> Manifest:
    """Read all of the backup and return its manifest. Raises BackupError where a byte is not what was written."""
    manifest = archive.read_manifest()
    for name in (DATABASE, FILES):
        with archive.reader(name) as source:
            while source.read(BLOCK_BYTES):
                pass
        if archive.describe(name) != manifest.parts.get(name):
            raise BackupError(f"{archive.path(name)} was changed: its SHA-256 is not that of the manifest.")
    return manifest
