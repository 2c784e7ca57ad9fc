"""What an owner should look at before sharing: texts with what looks like a key or a password, and e-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, Literal

from security.redaction import REDACTED, redact
from sharing.content import Piece
from tenants.rest.schemas import ResponseSchema

MAX_CHECKS: Final = 10
MAX_LINE: Final = 160
_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")


class ShareCheck(ResponseSchema):
    """`text`: the line, with the secret itself removed; or the address."""

    kind: Literal["secret", "address"]
    text: str


def share_checks(pieces: Iterable[Piece]) -> list[ShareCheck]:
    """Return the first things to look at, secrets and addresses in the order of the page, each once."""
    found = {(check.kind, check.text): check for piece in pieces for check in _of_text(f"{piece.heading}\n{piece.text}")}
    return list(islice(found.values(), MAX_CHECKS))


def _of_text(text: str) -> Iterator[ShareCheck]:
    before, after = text.count(REDACTED), redact(text)
    if after.count(REDACTED) > before:
        yield from (ShareCheck(kind="secret", text=_around(line)) for line in after.split("\n") if REDACTED in line)
    yield from (ShareCheck(kind="address", text=match.group()) for match in _ADDRESS.finditer(after))


def _around(line: str) -> str:
    """Return the part of a long line that has the place."""
    at = max(0, line.index(REDACTED) - MAX_LINE // 2)
    return line[at : at + MAX_LINE].strip()
