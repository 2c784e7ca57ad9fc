"""The content of the GitHub double: two repositories of a tea shop."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Issue:
    number: int
    title: str
    state: str
    body: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository."""

    full_name: str
    description: str
    private: bool
    files: dict[str, str | bytes]  # by path; bytes for a binary file
    issues: tuple[Issue, ...] = ()


LOGO = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a730000001649444154789c6364a88862606060626060"
                     "606060000009a800d66559a2a60000000049454e44ae426082")  # fmt: skip

TEA = Repository(
    "demo/tea",
    "A small shop for tea.",
    private=False,
    files={
        "README.md": "# Tea\n\nA small shop for tea. Start it with `python shop.py`.\n",
        "shop.py": 'PRICES = {"oolong": 7, "sencha": 9}\n\n\ndef total(order):\n    return sum(PRICES[name] for name in order)\n',
        "docs/brewing.md": "# Brewing\n\n| Tea | °C | Minutes |\n|---|---|---|\n| Oolong | 90 | 3 |\n| Sencha | 70 | 2 |\n",
        "docs/logo.png": LOGO,
    },
    issues=(
        Issue(7, "total() fails for an unknown tea", "open", "`total(['matcha'])` raises KeyError.", ("bug",)),
        Issue(9, "Offer gift boxes", "open", "Customers ask for boxes with three kinds.", ("wish",)),
        Issue(4, "Wrong temperature for sencha", "closed", "It said 90 °C.", ("docs",)),
    ),
)
ROASTS = Repository("demo/roasts", "Notes about roasting.", private=True, files={"notes.md": "Roast slowly.\n"})
REPOSITORIES = {repository.full_name: repository for repository in (TEA, ROASTS)}
