"""Where things stand on a page: what moves by itself, what a finger can't hit, and what is wider than the screen."""

from __future__ import annotations

from playwright.sync_api import Page

FINGER_PX = 44

# Run before the page's own scripts.
NOTE_MOVES = """
window.moved = 0
new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.moved += value))).observe({ type: 'layout-shift', buffered: true })
"""

# The page's frame cuts off what is wider than it, so that the document itself never is.
WIDER = "() => [document.documentElement, ...document.querySelectorAll('#root > *')].some((box) => box.scrollWidth > box.clientWidth)"

# A link in a sentence has the height of its line. `::after` may make more of an element's surroundings its own.
SMALL_TARGETS = """least => [...document.querySelectorAll('button, a, label:has(input), [role=switch]')].flatMap((element) => {
    const { width, height, right, bottom } = element.getBoundingClientRect()
    const isShown = element.checkVisibility({ visibilityProperty: true }) && !element.closest('[aria-hidden=true]') && right > 0 && bottom > 0
    if (!isShown || getComputedStyle(element).display === 'inline') return []
    const around = getComputedStyle(element, '::after')
    const [w, h] = around.content === 'none' ? [width, height] : [Math.max(width, parseFloat(around.width)), Math.max(height, parseFloat(around.height))]
    return w > 1 && (w < least || h < least) ? [`${element.ariaLabel || element.innerText}: ${w} x ${h}`] : []
})"""


def layout_shift(page: Page) -> float:
    """How much of the page moved without being asked, as Chromium adds it up. The page's context needs NOTE_MOVES."""
    shift: float = page.evaluate("window.moved")
    return shift


def small_targets(page: Page) -> list[str]:
    """What a finger should hit and is smaller than it, with its size."""
    targets: list[str] = page.evaluate(SMALL_TARGETS, FINGER_PX - 0.5)
    return targets


def is_too_wide(page: Page) -> bool:
    """Whether anything stands beyond the right edge of the page."""
    too_wide: bool = page.evaluate(WIDER)
    return too_wide
