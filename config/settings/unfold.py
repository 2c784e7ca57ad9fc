"""Settings of django-unfold, the theme of both admin sites."""

from __future__ import annotations

UNFOLD = {
    "SITE_TITLE": "Parley",
    "SITE_HEADER": "Parley",
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
}
