"""Encryption of a part of a backup while it is written: AES-256-GCM in chunks, each of which is checked before its bytes are used.

A sealed part is MAGIC, a salt, and chunks of CHUNK_BYTES with a tag each. Its key comes from BACKUP_KEY, the salt and the part's name. The
nonce is the chunk's number and whether it is the last one, so chunks can't be changed, moved, left out or cut off (the STREAM construction of
Hoang, Reyhanitabar, Rogaway and Vizár, 2015).
"""

from __future__ import annotations

import io
import os
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MAGIC = b"PARLEY-BACKUP-1\n"
SALT_BYTES = 32
CHUNK_BYTES = 1024 * 1024
TAG_BYTES = 16


class PartDamaged(Exception):
    """The part was changed or cut off, or the key is another one."""


class SealingWriter(io.RawIOBase):
    """Seals what is written to it into `target`. `finish` writes the last chunk; without it the part can't be opened."""

    def __init__(self, target: BinaryIO, key: bytes, name: str) -> None:
        salt = os.urandom(SALT_BYTES)
        self._target, self._cipher = target, _cipher(key, salt, name)
        self._waiting, self._number = bytearray(), 0
        target.write(MAGIC + salt)

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # bytes are all that anybody writes
        self._waiting += data
        while len(self._waiting) > CHUNK_BYTES:
            self._seal(is_last=False)
        return len(data)

    def finish(self) -> None:
        self._seal(is_last=True)

    def _seal(self, *, is_last: bool) -> None:
        chunk = bytes(self._waiting[:CHUNK_BYTES])
        del self._waiting[:CHUNK_BYTES]
        self._target.write(self._cipher.encrypt(_nonce(self._number, is_last), chunk, None))
        self._number += 1


class SealedReader(io.RawIOBase):
    """Reads a sealed part. Raises PartDamaged, at the latest where the part should end."""

    def __init__(self, source: BinaryIO, key: bytes, name: str) -> None:
        head = source.read(len(MAGIC) + SALT_BYTES)
        if len(head) < len(MAGIC) + SALT_BYTES or not head.startswith(MAGIC):
            raise PartDamaged
        self._source, self._cipher = source, _cipher(key, head[len(MAGIC) :], name)
        self._next, self._number = source.read(CHUNK_BYTES + TAG_BYTES), 0
        self._plaintext = memoryview(b"")
        self._is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]  # what BufferedReader gives
        while not self._plaintext and not self._is_over:
            self._open()
        chunk = self._plaintext[: len(buffer)]
        buffer[: len(chunk)] = chunk
        self._plaintext = self._plaintext[len(chunk) :]
        return len(chunk)

    def _open(self) -> None:
        ciphertext, self._next = self._next, self._source.read(CHUNK_BYTES + TAG_BYTES)
        self._is_over = not self._next
        try:
            self._plaintext = memoryview(self._cipher.decrypt(_nonce(self._number, self._is_over), ciphertext, None))
        except (InvalidTag, ValueError) as error:
            raise PartDamaged from error
        self._number += 1


def _cipher(key: bytes, salt: bytes, name: str) -> AESGCM:
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=salt, info=f"parley.backup|{name}".encode()).derive(key))


def _nonce(number: int, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])
