"""Projects and their files over HTTP."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.rest.conftest import post

API = "/o/acme/api"
PROJECTS = f"{API}/projects/"


def make_project(client: Client, name: str = "Harbour tariffs", **fields: Any) -> str:
    response = post(client, PROJECTS, {"name": name, **fields})
    assert response.status_code == 201, response.content
    project_id: str = response.json()["id"]
    return project_id


def add_file(client: Client, project_id: str, name: str = "rates.md", content: bytes = b"Crane fee: 12 euros.", slug: str = "acme") -> Any:
    return client.post(f"/o/{slug}/api/projects/{project_id}/files/", {"file": SimpleUploadedFile(name, content)})


def attach(client: Client, project_id: str, file_id: str) -> Any:
    return post(client, f"{PROJECTS}{project_id}/files/{file_id}/attachments/")
