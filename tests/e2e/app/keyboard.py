"""A keyboard without a mouse: it goes by Tab, and each stop must be seen."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

MAX_STOPS = 120  # more than any page has

# What has the focus, and whether a reader sees that: an outline or a ring at it or around it, a caret, or the colour of a menu's chosen row.
FOCUS = """() => {
  const element = document.activeElement
  if (!element || element === document.body) return { name: 'nothing', isSeen: false }
  const name = `${element.tagName.toLowerCase()} ${element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 60)}`
  const outlined = (one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || (boxShadow !== 'none' && one === element)
  }
  const { width, height } = element.getBoundingClientRect()
  const hasCaret = element.isContentEditable || element.matches('textarea, input:not([type=radio], [type=checkbox], [type=range])')
  const around = [element, element.parentElement, element.parentElement?.parentElement].filter(Boolean)
  const isFilled = 'highlighted' in element.dataset || element.role === 'separator' // its own colour shows it
  const isSeen = hasCaret || isFilled || around.some(outlined)
  return { name, isSeen: isSeen && width > 0 && height > 0 }
}"""


class Keyboard:
    """The keys of one page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def press(self, *keys: str) -> None:
        for key in keys:
            self._page.keyboard.press(key)

    def type(self, text: str) -> None:
        self._page.keyboard.type(text)

    def tab_to(self, target: Locator, *, back: bool = False) -> None:
        """Press Tab until `target` has the focus. Raises AssertionError where it never has, or where nobody sees what has."""
        expect(target).to_be_attached()  # an answer's buttons come after it, and the first Tab would go past their place
        stops: list[str] = []
        for _ in range(MAX_STOPS):
            self.press("Shift+Tab" if back else "Tab")
            focus = self._page.evaluate(FOCUS)
            stops.append(focus["name"])
            assert focus["isSeen"], f"nobody sees the focus: {stops}"
            if target.evaluate("element => element === document.activeElement"):
                return
        raise AssertionError(f"Tab does not lead there: {stops}")

    def arrow_to(self, item: Locator) -> None:
        """Press the arrow until an item of the open menu has the focus. The menu moves it in a timer, so each key waits for the one before."""
        self._page.wait_for_function("() => 'highlighted' in document.activeElement.dataset")
        for _ in range(MAX_STOPS):
            if item.evaluate("element => element === document.activeElement"):
                return
            before = self._page.evaluate_handle("document.activeElement")
            self.press("ArrowDown")
            self._page.wait_for_function("before => document.activeElement !== before", arg=before)
        raise AssertionError("the arrow does not lead there")

    def choose(self, target: Locator, *, back: bool = False) -> None:
        """Go to a button or a link and press Enter."""
        self.tab_to(target, back=back)
        self.press("Enter")
