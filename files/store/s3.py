"""A bucket of an S3-compatible store as one of Django's storages.

One client serves all threads (boto3 says that clients may be shared), because Django gives each request a thread of its own, and making a
client takes 90 ms of CPU and 13 MB. Reads are streams, and writes of more than 8 MB have several parts. Source: Amazon S3's API reference.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Final

import boto3
import structlog
from boto3.s3.transfer import TransferConfig
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from django.core.files.storage import Storage

from files.errors import FileStoreUnavailable

CONNECT_S: Final = 3
READ_S: Final = 20  # of silence
ATTEMPTS: Final = 3
CONNECTIONS: Final = 32  # that wait to be used again
NOT_FOUND: Final = frozenset({"404", "NoSuchKey", "NotFound"})
FULL: Final = frozenset({"QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "507"})
_IN_TURN: Final = TransferConfig(use_threads=False)

if TYPE_CHECKING:
    _File = File[bytes]
else:
    _File = File  # generic for the type checker alone

log = structlog.get_logger(__name__)


class S3FileStorage(Storage):
    """The objects of a bucket whose keys begin with `prefix`. `endpoint`: empty for Amazon; keys: empty for those of the machine's role.

    Raises FileNotFoundError, OSError with ENOSPC when the store is full, and FileStoreUnavailable for everything else.
    """

    def __init__(
        self,
        *,
        bucket: str,
        endpoint: str = "",
        region: str = "",
        access_key: str = "",
        secret_key: str = "",
        prefix: str = "",
        addressing: str = "auto",
    ) -> None:
        self.bucket = bucket
        self._prefix = prefix
        self._addressing = addressing
        self._place = {"endpoint_url": endpoint or None, "region_name": region or None}
        self._keys = {"aws_access_key_id": access_key or None, "aws_secret_access_key": secret_key or None}

    @cached_property
    def client(self) -> Any:
        return boto3.session.Session().client("s3", **self._place, **self._keys, config=self._config("s3v4"))

    def _config(self, signature: object) -> Config:
        return Config(
            signature_version=signature,
            s3={"addressing_style": self._addressing},
            connect_timeout=CONNECT_S,
            read_timeout=READ_S,
            retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            max_pool_connections=CONNECTIONS,
            # Other stores than Amazon's do not know the checksums that newer clients send with each request.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """Return the name as it is. Parley uses none twice but to write the same again, and looking would be one more request."""
        return name

    def exists(self, name: str) -> bool:
        try:
            self.size(name)
        except FileNotFoundError:
            return False
        return True

    def size(self, name: str) -> int:
        with _translate_errors(name):
            return int(self.client.head_object(**self._object(name))["ContentLength"])

    def delete(self, name: str) -> None:
        """Delete the object. One that is not there is no error, as in S3."""
        with suppress(FileNotFoundError), _translate_errors(name):
            self.client.delete_object(**self._object(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return the names of the folders and of the files in a folder; of one that is not there, none."""
        folder = f"{self._prefix}{path.rstrip('/')}/" if path else self._prefix
        folders: list[str] = []
        files: list[str] = []
        with _translate_errors(path):
            for page in self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=folder, Delimiter="/"):
                folders += [entry["Prefix"][len(folder) : -1] for entry in page.get("CommonPrefixes", ())]
                files += [entry["Key"][len(folder) :] for entry in page.get("Contents", ())]
        return folders, files

    def signed_url(self, name: str, *, disposition: str, media_type: str, lifetime_s: int) -> str:
        """Return an address from which anybody can load this one object for that time, with these headers (tenants.rest.downloads)."""
        response_headers = {
            "ResponseContentDisposition": disposition,
            "ResponseContentType": media_type,
            "ResponseCacheControl": "private, no-store",
        }
        with _translate_errors(name):  # the keys of the machine's role may have to be asked for
            url: str = self.client.generate_presigned_url(
                "get_object", Params={**self._object(name), **response_headers}, ExpiresIn=lifetime_s
            )
        return url

    def is_public(self, name: str) -> bool:
        """Return whether anybody can load this object."""
        stranger = boto3.session.Session().client("s3", **self._place, config=self._config(UNSIGNED))
        try:
            stranger.head_object(**self._object(name))
        except (BotoCoreError, ClientError):
            return False
        return True

    def keeps_versions(self) -> bool:
        """Return whether the store says that it keeps what is deleted. Not all know such a thing, and not all keys may ask."""
        try:
            return bool(self.client.get_bucket_versioning(Bucket=self.bucket).get("Status") == "Enabled")
        except (BotoCoreError, ClientError):
            return False

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        if mode != "rb":
            raise ValueError("files of the store are read only, and written whole by `save`")
        with _translate_errors(name):
            answer = self.client.get_object(**self._object(name))
        return StoredObject(answer["Body"], name, int(answer["ContentLength"]))

    def _save(self, name: str, content: IO[bytes]) -> str:
        with _translate_errors(name):
            self.client.upload_fileobj(content, self.bucket, self._prefix + name, Config=_IN_TURN)
        return name

    def _object(self, name: str) -> dict[str, str]:
        return {"Bucket": self.bucket, "Key": self._prefix + name}


class StoredObject(_File):
    """An object that is read from its beginning to its end, as it comes in."""

    def __init__(self, body: Any, name: str, size_bytes: int) -> None:
        super().__init__(body, name)
        self._body = body
        self.size = size_bytes

    def read(self, num_bytes: int = -1) -> bytes:
        """Return the next bytes, at most `num_bytes`; none at the end. Raises FileStoreUnavailable when the store breaks off."""
        with _translate_errors(self.name or ""):
            piece: bytes = self._body.read(None if num_bytes < 0 else num_bytes)
        return piece


@contextmanager
def _translate_errors(name: str) -> Iterator[None]:
    """Turn boto3's errors into those of S3FileStorage. Logs the kind of one that is nobody's fault here."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in NOT_FOUND:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name) from error
        if code in FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name) from error
        log.warning("file_store_away", reason=code)
        raise FileStoreUnavailable from error
    except BotoCoreError as error:
        log.warning("file_store_away", reason=type(error).__name__)
        raise FileStoreUnavailable from error
