"""What an owner should look at before sharing: texts with what looks like a key or a password, e-mail addresses, and names of files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

from security.redaction import REDACTED, redact
from sharing.content import SharedContent
from tenants.rest.schemas import ResponseSchema

MAX_CHECKS: Final = 100  # each can be hidden
MAX_LINE: Final = 160
_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")

# A name in the text, of a kind that people keep on their computers; what is shared alone never has one (SPEC 7.9).
_FILE: Final = re.compile(
    r"(?<![\w./@-])\w[\w.-]{0,100}\.(?:csv|docx?|jpe?g|key|odt|pdf|pem|png|pptx?|txt|xlsx?|zip)(?![\w-])", re.IGNORECASE
)


class ShareCheck(ResponseSchema):
    """`text`: the line, with the secret itself removed; the address; or the file's name."""

    kind: Literal["secret", "address", "file"]
    text: str


def share_checks(content: SharedContent) -> list[ShareCheck]:
    """Return the first things to look at, secrets before addresses and names of files in the order of the page, each once."""
    checks = {(check.kind, check.text): check for check in _checks(content)}
    return list(islice(sorted(checks.values(), key=lambda check: check.kind != "secret"), MAX_CHECKS))


def has_secrets(content: SharedContent) -> bool:
    """Return whether a text, or the title, has what looks like a key or a password."""
    return any(check.kind == "secret" for check in _checks(content))


def _checks(content: SharedContent) -> Iterator[ShareCheck]:
    yield from _of_text(content.title)
    for piece in content.pieces:
        yield from _of_text(piece.heading)
        yield from _of_text(piece.text)


def _of_text(text: str) -> Iterator[ShareCheck]:
    before, after = text.count(REDACTED), redact(text)
    if after.count(REDACTED) > before:
        yield from (ShareCheck(kind="secret", text=_excerpt(line)) for line in after.split("\n") if REDACTED in line)
    yield from (ShareCheck(kind="address", text=match.group()) for match in _ADDRESS.finditer(after))
    yield from (ShareCheck(kind="file", text=match.group()) for match in _FILE.finditer(after))


def _excerpt(line: str) -> str:
    """Return the part of a long line that has the place."""
    at = max(0, line.index(REDACTED) - MAX_LINE // 2)
    return line[at : at + MAX_LINE].strip()
