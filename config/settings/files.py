"""Settings of attached files: where they are stored and how uploads are received."""

from __future__ import annotations

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
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "files": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": ENV.files_dir or ENV.parley_data_dir / "files",
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
}
FILE_UPLOAD_HANDLERS = [
    "files.api.uploads.LimitedUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "files.api.uploads.DiskUploadHandler",
]
