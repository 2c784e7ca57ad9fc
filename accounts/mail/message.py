"""What a mail says, and how it looks as text and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.translation import get_language


@dataclass(frozen=True)
class Mail:
    """The content of a mail, in the language that is active. `code` stands large in the middle; `button` is (label, URL)."""

    kind: str
    subject: str
    paragraphs: Sequence[str]
    code: str = ""
    button: tuple[str, str] | None = None
    closing: Sequence[str] = ()

    def as_text(self) -> str:
        return render_to_string("email/mail.txt", {"mail": self}).strip() + "\n"

    def as_html(self) -> str:
        return render_to_string("email/mail.html", {"mail": self, "language": get_language()})
