"""How a page is looked at: in which colours, on what screen."""

from __future__ import annotations

import pytest

Look = tuple[bool, bool]
"""Whether it is dark, and on a phone."""

# By day in the dark on a phone, where most goes wrong: other tests look at the same pages in light on a desktop. All pairs at night.
LOOKS = pytest.mark.parametrize(
    ("dark", "phone"),
    [
        pytest.param(True, True, id="dark-phone"),
        pytest.param(False, False, id="light-desktop", marks=pytest.mark.nightly),
        pytest.param(True, False, id="dark-desktop", marks=pytest.mark.nightly),
        pytest.param(False, True, id="light-phone", marks=pytest.mark.nightly),
    ],
)
