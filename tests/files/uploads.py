"""Uploads over HTTP by members of the cast."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from files.models import File
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast

ACME = "/o/acme/api/files/"


def signed_in(user: Any, **options: Any) -> Client:
    client = Client(**options)
    client.force_login(user)
    return client


def attach(client: Client, name: str, content: bytes, path: str = ACME, content_type: str = "image/png") -> Any:
    return client.post(path, {"file": SimpleUploadedFile(name, content, content_type=content_type)})


def attached(client: Client, name: str = "tea.txt", content: bytes = b"Tea is a drink.") -> Any:
    response = attach(client, name, content)
    assert response.status_code == 201, response.content
    return response.json()


def row(cast: Cast, item: dict[str, Any]) -> File:
    with tenant_tx(cast.acme.pk):
        return File.objects.get(pk=item["id"])
