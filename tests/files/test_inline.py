"""Reading data URLs, and what a full disk leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from files.errors import DiskFull
from files.inline_files import MAX_HEADER_CHARS, InlineFile, data_url_parse
from files.storage import content_write
from tenants.errors import BadRequest


@pytest.mark.parametrize(
    ("url", "name", "content"),
    [
        ("data:text/plain;base64,VGVhLg==", "file.txt", b"Tea."),
        ("data:TEXT/plain;charset=utf-8;base64,VGVhLg%3D%3D", "file.txt", b"Tea."),
        ("data:text/plain,Green%20tea%2C mild", "file.txt", b"Green tea, mild"),
        ("data:,Th\u00e9", "file", "Th\u00e9".encode()),
    ],
)
def test_a_data_url_holds_a_file(url: str, name: str, content: bytes) -> None:
    assert data_url_parse(InlineFile(url)) == (name, content)
    assert data_url_parse(InlineFile(url, "tea.md")) == ("tea.md", content)


@pytest.mark.parametrize(
    "url", ["data:text/plain", "data:;base64,VGVhLg", "data:;base64,Th\u00e9=", f"data:{';' * (MAX_HEADER_CHARS + 1)},Tea"]
)
def test_what_is_no_data_url_is_refused(url: str) -> None:
    with pytest.raises(BadRequest):
        data_url_parse(InlineFile(url))


def test_a_full_disk_is_left_without_halves(settings: Settings, tmp_path: Path) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "files": {"BACKEND": "tests.support.files.failing_storage.FullDisk", "OPTIONS": {"location": tmp_path}},
    }
    with pytest.raises(DiskFull):
        content_write("acme/1", b"Green tea.")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
