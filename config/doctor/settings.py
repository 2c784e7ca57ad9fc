"""Checks of the environment's values that are valid but unwise, and of the front end's build.

Values that are not valid end every command before (config.env).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from chat.templatetags.vite import MANIFEST
from config.doctor.findings import Finding, error, ok, warning
from config.env import LOCAL_HOSTS
from tenants.redis.addresses import redis_address
from tenants.redis.stores import VARIABLES, own_stores, store_url


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
    endpoint = urlsplit(settings.STORAGES["files"]["OPTIONS"].get("endpoint", ""))
    if endpoint.scheme == "http" and _is_elsewhere(endpoint.hostname or ""):
        yield _in_the_open("files", endpoint.hostname or "", "Let FILES_S3_ENDPOINT begin with https")
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


def front_end_finding() -> Finding:
    if any((folder / MANIFEST).is_file() for folder in map(Path, settings.STATICFILES_DIRS)):
        return ok("front end", "It is built.")
    return error("front end", "It is not built: pages stay empty.", "Run: python -m tools.frontend build")
