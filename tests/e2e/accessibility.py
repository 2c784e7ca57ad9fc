"""axe-core over the page that is open: the rules of WCAG 2.2, levels A and AA, and a few more."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from playwright.sync_api import Page, expect

from tools.frontend import SOURCES

AXE = SOURCES / "node_modules" / "axe-core" / "axe.min.js"
STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
MORE_RULES = {"landmark-unique": {"enabled": True}}  # not in the standard: a list of landmarks with equal names leads nowhere
ALL_RULES = {"runOnly": STANDARD, "rules": MORE_RULES}
COLOUR_RULES = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
ADMIN_NAVIGATION = "#nav-sidebar-inner"  # beside each admin page; what is in it are a third of the page's elements
ADMIN_BUTTONS = "#submit-row"  # they stick to the lower edge of a desktop's window, over whatever stands there until somebody scrolls

_sound_navigations: set[tuple[str, str]] = set()  # looked at once, each by the rules about it


@lru_cache(maxsize=1)
def _axe() -> str:
    return AXE.read_text()


def violations(page: Page, rules: Mapping[str, Any] = ALL_RULES) -> list[str]:
    """One line for each violated rule, with the first element that violates it.

    What is gone at the second look was only on its way, such as a text that scrolls under the header.
    """
    return _violations(page, rules) and _violations(page, rules)


def violations_in_both_colours(page: Page) -> list[str]:
    """What `violations` finds in light, and then in dark, to which the page turns where it stands: there, by the rules about colours.

    These two cost half of what all rules cost. No other rule reads a colour. What only the dark shows, such as a mark of its own, is looked at
    by all rules in the tests whose windows are dark from the beginning.
    """
    problems = violations(page)
    turn(page, "dark")
    problems += [f"dark: {violation}" for violation in violations(page, COLOUR_RULES)]
    turn(page, "light")
    return problems


def turn(page: Page, colours: Literal["light", "dark"]) -> None:
    """Let the machine turn dark or light. Unfold's pages follow it only as they open, by a class that is set here."""
    page.emulate_media(color_scheme=colours)
    unfold = "isDark => document.documentElement.dataset.theme || document.documentElement.classList.toggle('dark', isDark)"
    page.evaluate(unfold, colours == "dark")
    expect(page.locator(f"html[data-theme={colours}], html:not([data-theme])")).to_have_count(1)


def _violations(page: Page, rules: Mapping[str, Any]) -> list[str]:
    """The page's policy does not limit `evaluate`. Only violations are asked for: describing all that passed takes half of the time.

    Of the page's files only sounds are loaded again, for the rule about them: loading the styles takes a third of the time.
    """
    if page.evaluate("typeof axe") == "undefined":  # half a megabyte, once for each page
        page.evaluate(_axe())
    navigation = _admin_navigation(page)
    options = {**rules, "resultTypes": ["violations"], "preload": {"assets": ["media"]}}
    context = {"exclude": [[f"{ADMIN_NAVIGATION} > *"]] if (navigation, str(rules)) in _sound_navigations else []}
    run = """async ([context, options, selector]) => {
        const buttons = document.querySelector(selector)
        buttons?.style.setProperty('position', 'static')
        const { violations } = await axe.run(context, options)
        buttons?.style.removeProperty('position')
        return violations
    }"""
    broken_rules = page.evaluate(run, [context, options, ADMIN_BUTTONS])
    if not broken_rules:
        _sound_navigations.add((navigation, str(rules)))
    return [f"{rule['id']}: {rule['help']}: {rule['nodes'][0]['html'][:200]}" for rule in broken_rules]


def _admin_navigation(page: Page) -> str:
    """What tells the navigation beside an admin page from others: its words, whether it is open, the width of the window, and its colours."""
    return str(
        page.evaluate(
            """selector => {
                const navigation = document.querySelector(selector)
                const isDark = document.documentElement.classList.contains('dark')
                return [navigation?.textContent.replace(/\\s+/g, ' '), navigation?.checkVisibility(), innerWidth, isDark].join()
            }""",
            ADMIN_NAVIGATION,
        )
    )
