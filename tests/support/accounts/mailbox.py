"""Mails as their readers find them: in the box of a machine without a mail server."""

from __future__ import annotations

import re

from accounts.models import OutgoingMail

_CODE = re.compile(r"^    (\S+)$", re.MULTILINE)


def mails_to(address: str) -> list[OutgoingMail]:
    """Oldest first."""
    return [*OutgoingMail.objects.filter(recipient=address).order_by("created_at")]


def newest_mail(address: str) -> OutgoingMail:
    return mails_to(address)[-1]


def code_in(mail: OutgoingMail) -> str:
    match = _CODE.search(mail.text)
    assert match, mail.text
    return match[1]
