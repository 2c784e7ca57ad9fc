"""What people call a device."""

from __future__ import annotations

import re

from django.utils.translation import gettext

# What a browser calls itself, the more particular name first.
_BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "CriOS": "Chrome", "Chrome": "Chrome", "Safari": "Safari"}
_SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def device_label(agent: str) -> str:
    """Return what a person calls the device, such as "Firefox on Windows", in the language that is active."""
    browser = next((name for mark, name in _BROWSERS.items() if re.search(rf"{mark}/", agent)), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in agent), "")
    if not system:
        return browser or gettext("Unknown device")
    return gettext("%(browser)s on %(system)s") % {"browser": browser or gettext("Browser"), "system": system}
