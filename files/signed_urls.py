"""Signed URLs of files, valid for five minutes, for one member and one file (SECURITY 18)."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.urls import Resolver404, resolve, reverse

from files.models import File
from tenants.errors import NotFound

LINK_LIFETIME_S = 300
_SALT = "files.content"


@dataclass(frozen=True, slots=True)
class FileLink:
    """What a signed URL was made for."""

    owner_id: UUID  # the membership
    is_original: bool  # the bytes as they came, not a picture's clean copy


def content_url(file: File, *, slug: str, is_original: bool = False) -> str:
    """Return the URL from which the file's owner can load its bytes for five minutes. Absolute when files have their own origin.

    `is_original`: the bytes as they came, for a download; else of a picture its clean copy.
    """
    token = signing.dumps([str(file.pk), str(file.owner_id), is_original], salt=_SALT)
    path = reverse("file_content", kwargs={"slug": slug, "file_id": file.pk})
    return f"{settings.FILES_URL}{path}?token={token}"


def file_id_from_url(url: str) -> UUID | None:
    """Return the id of the file with this URL, even if it has expired, or None if it is not a URL of our files.

    Returning the id is safe, because an id gives no access.
    """
    try:
        parts = urlsplit(url)
        is_ours = f"{parts.scheme}://{parts.netloc}" in (settings.PUBLIC_URL, settings.FILES_URL) or not (parts.scheme or parts.netloc)
        match = resolve(parts.path) if is_ours else None
    except (ValueError, Resolver404):
        return None
    return match.kwargs["file_id"] if match is not None and match.url_name == "file_content" else None


def link_open(token: str, *, file_id: UUID) -> FileLink:
    """Return what the URL was made for. Raises NotFound when it is invalid, expired, or made for another file."""
    try:
        signed_id, owner_id, is_original = signing.loads(token, salt=_SALT, max_age=LINK_LIFETIME_S)
    except signing.BadSignature as exc:
        raise NotFound from exc
    if signed_id != str(file_id):
        raise NotFound
    return FileLink(UUID(owner_id), bool(is_original))
