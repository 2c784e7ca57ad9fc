"""How a page is looked at: in which colours, on what screen."""

from __future__ import annotations

import pytest

Look = tuple[bool, bool]
"""Whether it is dark, and on a phone."""

# Every colour and every screen once, their other pairs at night.
LOOKS = pytest.mark.parametrize(
    ("dark", "phone"),
    [
        pytest.param(False, False, id="light-desktop"),
        pytest.param(True, True, id="dark-phone"),
        pytest.param(True, False, id="dark-desktop", marks=pytest.mark.nightly),
        pytest.param(False, True, id="light-phone", marks=pytest.mark.nightly),
    ],
)
