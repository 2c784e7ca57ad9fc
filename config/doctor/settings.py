"""Checks of the environment's values that are valid but unwise, and of this machine's folders.

Values that are not valid end every command before (config.env).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages

from chat.templatetags.vite import MANIFEST
from config.doctor.findings import Finding, error, ok, warning
from config.env import LOCAL_HOSTS
from tenants.redis.addresses import redis_address
from tenants.redis.stores import VARIABLES, own_stores, store_url

MIN_FREE_BYTES = 2 * 1024**3


def environment_findings() -> Iterator[Finding]:
    """Whether strangers could read along, and whether the log shows who asked."""
    url = urlsplit(settings.PUBLIC_URL)
    is_local = url.hostname in LOCAL_HOSTS
    if url.scheme == "http" and not is_local:
        yield error(
            "address",
            f"PUBLIC_URL is {settings.PUBLIC_URL}: passwords and sessions travel in the open.",
            "Put a proxy with TLS in front (docs/deploy.md) and set PUBLIC_URL=https://...",
        )
    else:
        yield ok("address", f"People come in at {settings.PUBLIC_URL}.")
    if not is_local and not os.environ.get("FORWARDED_ALLOW_IPS"):
        yield warning(
            "address",
            "FORWARDED_ALLOW_IPS is not set: behind a proxy on another machine, all clients have the proxy's address.",
            "Set FORWARDED_ALLOW_IPS to your proxy's addresses.",
        )
    if settings.DEBUG:
        yield warning("address", "DEBUG=1 shows details of errors to everybody.", "Unset DEBUG outside development.")


def encryption_findings() -> Iterator[Finding]:
    """Whether the ways to stores on other machines are encrypted."""
    database = settings.DATABASES["default"]
    host, mode = str(database["HOST"]), str(database.get("OPTIONS", {}).get("sslmode", ""))
    if _is_elsewhere(host) and mode not in {"require", "verify-ca", "verify-full"}:
        yield _in_the_open("database", host, "Add ?sslmode=verify-full&sslrootcert=... to the four DATABASE_ addresses")
    for store in own_stores():
        address = redis_address(store_url(store))
        hosts = [host for host, _ in address.nodes] or [urlsplit(address.url).hostname or ""]
        elsewhere = [host for host in hosts if _is_elsewhere(host)]
        if address.url.startswith("redis:") and elsewhere:
            yield _in_the_open("redis", elsewhere[0], f"Let {VARIABLES[store]} begin with rediss")


def _is_elsewhere(host: str) -> bool:
    return not host.startswith("/") and host not in {"", *LOCAL_HOSTS}


def _in_the_open(subject: str, host: str, advice: str) -> Finding:
    return warning(subject, f"What goes to {host} is not encrypted.", f"{advice}, unless nobody else is on that network.")


def folder_findings() -> Iterator[Finding]:
    """Whether the front end is built, and whether files can be stored."""
    if any((folder / MANIFEST).is_file() for folder in map(Path, settings.STATICFILES_DIRS)):
        yield ok("front end", "It is built.")
    else:
        yield error("front end", "It is not built: pages stay empty.", "Run: python -m tools.frontend build")
    storage = storages["files"]
    if isinstance(storage, FileSystemStorage):
        yield _files_finding(Path(storage.location))


def _files_finding(folder: Path) -> Finding:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"parley")
        free_bytes = shutil.disk_usage(folder).free
    except OSError as problem:
        return error("files", f"{folder} can't be written: {problem.strerror}.", "Give it to the user that runs Parley, or set FILES_DIR.")
    free = f"{free_bytes / 1024**3:.1f} GB are free in {folder}."
    if free_bytes < MIN_FREE_BYTES:
        return warning("files", free, "Make room, or set FILES_DIR to a larger disk.")
    return ok("files", free)
