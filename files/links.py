"""Signed URLs of files, valid for five minutes, for one member and one file (SECURITY 18)."""

from __future__ import annotations

from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.urls import Resolver404, resolve, reverse

from files.models import File
from tenants.errors import NotFound

LINK_LIFETIME_S = 300
_SALT = "files.content"


def content_url(file: File, *, slug: str) -> str:
    """Return the URL from which the file's owner can load its bytes for five minutes. Absolute when files have their own origin."""
    token = signing.dumps([str(file.pk), str(file.owner_id)], salt=_SALT)
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


def link_owner(token: str, *, file_id: UUID) -> UUID:
    """Return the membership that the URL was made for. Raises NotFound when it is invalid, expired, or made for another file."""
    try:
        signed_id, owner_id = signing.loads(token, salt=_SALT, max_age=LINK_LIFETIME_S)
    except signing.BadSignature as exc:
        raise NotFound from exc
    if signed_id != str(file_id):
        raise NotFound
    return UUID(owner_id)
