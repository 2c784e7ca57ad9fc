"""Pictures of what the browser tests reach: of the guides in docs/ (`make pictures`), and for whoever wants to look at a screen.

SHOTS names the folder that they are saved in. Without it none are taken.
"""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Locator, Page

FOLDER = os.environ.get("SHOTS", "")


def picture(page: Page, name: str, *, of: Locator | None = None) -> None:
    """Save what the window shows, where pictures are asked for. `of`: what begins at its top."""
    if not FOLDER:
        return
    if of is None:
        page.evaluate("scrollTo(0, 0)")
    else:
        of.evaluate("element => scrollTo(0, element.getBoundingClientRect().top + scrollY - 72)")
    page.evaluate("document.activeElement?.blur()")
    page.mouse.move(0, 0)
    page.screenshot(path=Path(FOLDER) / f"{name}.png")


def shot(page: Page, name: str) -> None:
    """Save what the window shows as it is, where pictures are asked for."""
    if FOLDER:
        page.screenshot(path=Path(FOLDER) / f"{name}.png")
