"""The demo's best pieces, written by hand, one for each starter of the start page (chat.api.boot): found by the words of its starter."""

from __future__ import annotations

import re
from dataclasses import dataclass

BRIEF = """\
# Green tea in Europe: market brief

**In one sentence:** demand grows slowly but steadily, prices have settled after two hard years, and the room for a newcomer is in \
loose leaf and in single-estate teas.

## Where the market stands

Europeans drink less tea than they did ten years ago, but they spend more on each cup. Green tea gains from both trends: it replaces \
the second coffee of the day, and buyers ask where it was grown.

| Country | Sales 2025, € m | Change | Share of loose leaf |
| :--- | ---: | ---: | ---: |
| Germany | 412 | +4.1 % | 38 % |
| France | 355 | +6.3 % | 44 % |
| United Kingdom | 298 | +2.2 % | 17 % |
| Poland | 141 | +7.8 % | 22 % |
| Netherlands | 96 | +3.0 % | 29 % |

```mermaid
xychart-beta
  title "Sales of green tea in five countries, € m"
  x-axis [2021, 2022, 2023, 2024, 2025]
  y-axis "€ m" 0 --> 1400
  bar [1010, 1065, 1120, 1235, 1302]
  line [1010, 1065, 1120, 1235, 1302]
```

## What drives it

1. **Origin sells.** Teas that name garden and harvest cost 30 to 60 % more and are returned to more often.
2. **Convenience moves.** Pyramid bags take over from paper ones; cold brew is small but doubles each year.
3. **Regulation bites.** New residue limits keep about one shipment in nine out of the European Union.

## What we would do

- Start in **France and Poland**: the fastest growth, and shelves that are not yet shared out.
- List **six loose-leaf teas**, two of them single-estate, from 9 to 18 € per 100 g.
- Ask suppliers for residue tests *before* shipping; it costs 80 € and saves a container.

## Open questions

Freight from Shanghai is contracted only until March, and a weaker euro would cost about four points of margin. Both belong on the \
agenda of the next review.

*The figures in this brief are invented for the demo.*
"""

STOCK_PLOT = '''\
"""Tea in stock over twelve weeks, and when to order again."""

WEEKS = list(range(1, 13))
SENCHA = [96, 88, 81, 70, 62, 51, 44, 120, 111, 103, 92, 84]
ASSAM = [60, 57, 52, 49, 45, 41, 36, 33, 28, 80, 77, 71]
ORDER_AT = 40


def low_weeks(stock: list[int]) -> list[int]:
    """The weeks in which it was time to order."""
    return [week for week, kilos in zip(WEEKS, stock) if kilos < ORDER_AT]


def plot() -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.2, 4))
    for name, stock, colour in (("Sencha", SENCHA, "#4263d6"), ("Assam", ASSAM, "#b26a00")):
        axes.plot(WEEKS, stock, marker="o", linewidth=2, color=colour, label=name)
        axes.fill_between(WEEKS, stock, alpha=0.08, color=colour)
    axes.axhline(ORDER_AT, linestyle="--", linewidth=1, color="#c0392b", label="Order now")
    axes.set(title="Tea in stock", xlabel="Week", ylabel="kg", xticks=WEEKS, ylim=(0, 130))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.tight_layout()
    plt.show()


def chart(name: str, stock: list[int]) -> None:
    """The same as text, where matplotlib is not installed."""
    print(f"\\n{name}, kg")
    for week, kilos in zip(WEEKS, stock):
        mark = "  <- order" if kilos < ORDER_AT else ""
        print(f"{week:>4}  {'█' * (kilos // 4)}{'▌' if kilos % 4 > 1 else ''} {kilos}{mark}")


try:
    plot()
except ImportError:
    chart("Sencha", SENCHA)
    chart("Assam", ASSAM)
print(f"\\nOrder Assam in week {low_weeks(ASSAM)[0]}; Sencha never fell below {min(SENCHA)} kg.")
'''

SIGN_IN = """\
sequenceDiagram
  autonumber
  actor Dana
  participant Browser
  participant Parley
  participant Key as Passkey
  Dana->>Browser: Opens Parley
  Browser->>Parley: Who may sign in with dana@example.org?
  Parley-->>Browser: A challenge, good for two minutes
  Browser->>Key: Sign this challenge
  Key->>Dana: Your finger, please
  Dana-->>Key: Touches the sensor
  Key-->>Browser: Signature
  Browser->>Parley: Signature and challenge
  alt Signature fits the stored key
    Parley-->>Browser: A new session
    Browser-->>Dana: Good morning, Dana
  else It does not
    Parley-->>Browser: Try again, or use your password
  end
"""

BREWING = """\
flowchart TD
  A([Boil fresh water]) --> B{Which tea?}
  B -->|Gyokuro| C["Cool to 60 °C<br>2 minutes"]
  B -->|Sencha| D["Cool to 75 °C<br>1½ minutes"]
  B -->|Hojicha| E["Pour at 95 °C<br>1 minute"]
  C --> F["Pour off every drop"]
  D --> F
  E --> F
  F --> G{Another cup?}
  G -->|Yes, 10 °C hotter| B
  G -->|No| H([Enjoy])
"""

TEMPERATURE_PAGES = (
    ("https://example.com/brewing/green-tea", "Brewing green tea, step by step"),
    ("https://example.org/chemistry/catechins", "What heat does to catechins"),
    ("https://example.net/tasting/panel-2025", "A tasting panel of 60 people"),
    ("https://www.example.com/japan/gyokuro", "Gyokuro at 60 degrees"),
)
_ONE, _TWO, _THREE, _FOUR = (f"[{number}]({url})" for number, (url, _) in enumerate(TEMPERATURE_PAGES, start=1))
TEMPERATURE = f"""\
**Yes, with good reason.** Most green teas are brewed at 70 to 80 °C, most black teas at 95 °C or more. {_ONE}

- **Bitterness.** Above 85 °C, catechins and caffeine dissolve faster than the amino acids that taste sweet. The cup turns bitter \
within a minute. {_TWO}
- **It can be tasted.** In a panel of 60 people, 47 preferred the same Sencha brewed at 75 °C to one brewed at 95 °C. {_THREE}
- **It is not a law.** Gyokuro goes down to 60 °C, while roasted Hojicha takes boiling water well. {_FOUR}

| Tea | Temperature | Time |
| :--- | ---: | ---: |
| Gyokuro | 60 °C | 2 min |
| Sencha | 75 °C | 1½ min |
| Hojicha | 95 °C | 1 min |
| Assam | 98 °C | 4 min |

Without a thermometer: let boiling water stand for four minutes, or pour it from cup to cup three times.
"""


@dataclass(frozen=True)
class Piece:
    """One starter's words, what the conversation and its document are called, and what to say next."""

    pattern: re.Pattern[str]
    chat_title: str
    title: str
    suggestions: tuple[str, ...]


def _piece(pattern: str, chat_title: str, title: str, *suggestions: str) -> Piece:
    return Piece(re.compile(pattern, re.IGNORECASE | re.DOTALL), chat_title, title, suggestions)


MARKET_BRIEF = _piece(
    r"market brief about green tea",
    "Green tea market brief",
    "Green tea in Europe",
    "Make it shorter.",
    "Suggest improvements to the document.",
    "Add a section about the next steps.",
)
TEA_STOCK = _piece(
    r"plots? our tea stock",
    "Tea stock over twelve weeks",
    "Tea stock",
    "Explain the program.",
    "Draw a flowchart of when to order tea.",
    "Write a short note about our tea stock.",
)
PASSKEY = _piece(
    r"signs? in with a passkey",
    "Signing in with a passkey",
    "Sign-in with a passkey",
    "Add a step to it.",
    "Write a short guide about passkeys.",
    "Draw a flowchart of signing in.",
)
BREW = _piece(
    r"how to brew green tea",
    "How to brew green tea",
    "How to brew green tea",
    "Add a step to it.",
    "Show me a table.",
    "What else can I try?",
)
MANY_STEPS = _piece(
    r"^\W*work in many steps",
    "Green tea, from search to cup",
    "",
    "Make the brief shorter.",
    "Suggest improvements to the document.",
    "What else can I try?",
)
TEA_CLAIM = _piece(
    r"green tea\b.{0,40}\b(?:cooler|temperature|hot)",
    "How hot green tea should be",
    "",
    "Write a short guide about brewing tea.",
    "Show me a table.",
    "What else can I try?",
)
PIECES = (MARKET_BRIEF, TEA_STOCK, PASSKEY, TEA_CLAIM, BREW, MANY_STEPS)


def piece_for(text: str) -> Piece | None:
    """Return the piece that the words ask for."""
    return next((piece for piece in PIECES if piece.pattern.search(text)), None)
