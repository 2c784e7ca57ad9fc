from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.web.body_limit import BodyLimit

MEGABYTE = 1024 * 1024
UPLOAD, TOKEN_UPLOAD, OTHER = "/o/acme/api/files/", "/api/files/", "/o/acme/api/chat"


async def reads_all(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def status(path: str, megabytes: int, *headers: tuple[bytes, bytes], application: Any = reads_all) -> int:
    body = [{"type": "http.request", "body": bytes(MEGABYTE), "more_body": number + 1 < megabytes} for number in range(megabytes)]
    incoming, messages = iter(body), list[dict[str, Any]]()

    async def receive() -> dict[str, Any]:
        return next(incoming)

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    await BodyLimit(application)({"type": "http", "path": path, "headers": list(headers)}, receive, send)
    return int(messages[0]["status"])


@pytest.mark.parametrize(
    ("path", "megabytes", "answer"), [(UPLOAD, 20, 200), (UPLOAD, 21, 413), (TOKEN_UPLOAD, 20, 200), (OTHER, 4, 200), (OTHER, 5, 413)]
)
async def test_a_body_is_read_as_far_as_its_path_allows(path: str, megabytes: int, answer: int) -> None:
    assert await status(path, megabytes) == answer


async def test_a_body_that_says_it_is_too_long_is_not_read() -> None:
    assert await status(OTHER, 0, (b"content-length", b"5000000")) == 413


async def test_a_disk_without_room_for_a_body_is_named() -> None:
    async def writes(scope: Any, receive: Any, send: Any) -> None:
        fill_disk((await receive())["body"])

    assert await status(UPLOAD, 1, application=writes) == 507


def fill_disk(content: bytes) -> None:
    """/dev/full takes no byte, as a full disk."""
    Path("/dev/full").write_bytes(content)
