"""Why a file has no text: stored in English, so that agents and readers of any language can be told."""

from __future__ import annotations

import re

from django.utils.translation import gettext

from files.scanning.scanner import INFECTED

_INFECTED = re.compile(re.escape(INFECTED).replace(re.escape("%(threat)s"), "(?P<threat>.+)"))


def reason_in_words(reason: str) -> str:
    """Return the stored reason in the reader's language; "" when there is none."""
    if match := _INFECTED.fullmatch(reason):
        return gettext(INFECTED) % match.groupdict()
    return gettext(reason) if reason else ""
