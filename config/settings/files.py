"""Settings of attached files: where they are stored and how uploads are received."""

from __future__ import annotations

from typing import Any

from config.settings.environment import ENV

FILES_URL = ENV.files_url.geturl().rstrip("/") if ENV.files_url else ""  # the origin that serves only files; empty: PUBLIC_URL's
if ENV.files_url and ENV.files_url.netloc == ENV.public_url.netloc:
    FILES_URL = ""
# The most that a member and an organization may have stored; an organization's policy may set less (files.quotas).
FILE_QUOTAS = {
    "member_storage_mb": ENV.files_member_mb,
    "member_files": ENV.files_member_count,
    "organization_storage_mb": ENV.files_organization_mb,
    "organization_files": ENV.files_organization_count,
}
MALWARE_SCANNER = ENV.malware_scanner  # files.scanning; empty: files are not checked
FILES_SIGNED_DOWNLOADS = ENV.files_s3_signed_downloads == "1"  # tenants.rest.downloads


def _bucket() -> dict[str, Any]:
    options = ("bucket", "endpoint", "region", "access_key", "secret_key", "prefix", "addressing")
    return {"BACKEND": "files.store.s3.S3FileStorage", "OPTIONS": {option: getattr(ENV, f"files_s3_{option}") for option in options}}


def _directory() -> dict[str, Any]:
    location = ENV.files_dir or ENV.parley_data_dir / "files"
    options = {"location": location, "file_permissions_mode": 0o600, "directory_permissions_mode": 0o700}
    return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}


_files = _bucket() if ENV.files_s3_bucket else _directory()
# As messages to operators name it.
FILES_PLACE = f"The bucket {ENV.files_s3_bucket}" if ENV.files_s3_bucket else f"The directory {_files['OPTIONS']['location']}"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "files": _files,
}
FILE_UPLOAD_HANDLERS = [
    "files.api.uploads.LimitedUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "files.api.uploads.DiskUploadHandler",
]
