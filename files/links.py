"""Signed addresses of files: five minutes, for one member and one file (SECURITY 18)."""

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
    """Where the file's owner gets its bytes during the next five minutes; absolute when files have an origin of their own."""
    token = signing.dumps([str(file.pk), str(file.owner_id)], salt=_SALT)
    path = reverse("file_content", kwargs={"slug": slug, "file_id": file.pk})
    return f"{settings.FILES_URL}{path}?token={token}"


def file_id_from_url(url: str) -> UUID | None:
    """The id of the file that has this address, also when its time is over: an id opens nothing. None: it is no file's of ours."""
    try:
        parts = urlsplit(url)
        is_ours = f"{parts.scheme}://{parts.netloc}" in (settings.PUBLIC_URL, settings.FILES_URL) or not (parts.scheme or parts.netloc)
        match = resolve(parts.path) if is_ours else None
    except (ValueError, Resolver404):
        return None
    return match.kwargs["file_id"] if match is not None and match.url_name == "file_content" else None


def link_owner(token: str, *, file_id: UUID) -> UUID:
    """The membership that the address was made for. Raises NotFound when it is false, over, or another file's."""
    try:
        signed_id, owner_id = signing.loads(token, salt=_SALT, max_age=LINK_LIFETIME_S)
    except signing.BadSignature as exc:
        raise NotFound from exc
    if signed_id != str(file_id):
        raise NotFound
    return UUID(owner_id)
