"""In which language a mail is written: its reader's. The texts are in locale/, marked with gettext where they are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext

from tenants.localization.language import date_in_words
from tenants.models import User


@contextmanager
def reader_language(email: str, *, fallback: str = "") -> Iterator[None]:
    """Let the block write in the language of whoever reads mails at this address. One query.

    It is the one of their profile; `fallback` where the profile leaves it to the browser or nobody has the address; else the product's.
    """
    language = User.objects.filter(email=email.lower()).values_list("language", flat=True).first()
    with translation.override(language or fallback or settings.LANGUAGE_CODE):
        yield


def day(value: date) -> str:
    """Return a date as people write it, such as 23 November 2026."""
    return date_in_words(value, "j F Y")


def moment(value: datetime) -> str:
    """Return a date and time as people write it."""
    utc = timezone.localtime(value, timezone.get_fixed_timezone(0))
    return gettext("%(day)s, %(time)s UTC") % {"day": day(utc), "time": f"{utc:%H:%M}"}
