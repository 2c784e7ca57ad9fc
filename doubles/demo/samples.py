"""The demo's prepared chat answers. Each shows a part of what the chat can render and says what to try next."""

from __future__ import annotations

import re

EXAMPLES = """\
## What you can try

- `Write a report about solar energy`, then `Make it shorter` or `Add a section about costs`
- `Suggest improvements to the document`: accept or reject each one; `Undo that` brings a former version back
- `Write a Python script about primes`, or `... with an error`: run it, let its error be mended, `Explain the program`
- `Draw a sequence diagram of a chat`, or a flowchart, a mind map, a Gantt chart; `Draw a broken diagram`: see it given back
- `Show me a table`, `Show me some code`, `Show me some maths`, `Show me Markdown`
- `Give me a long answer`: press Stop, reload the page or open a second tab while it runs
- `Tell me a slow story`: write something while it comes; the answer takes it up
- `Draw a picture`: an image in the answer, to look at and to download; then ask about it
- `Search the web for solar energy`, `Run some Python code`, `Read https://example.com`: what a provider does itself, for an agent whose steps are in its card
- `Fill in the form on this page`, for a page of yours around the chat: see docs/api.md
- `Work by a plan`, `Read the demo page`, `Search our files for tea` (an admin uploads some first): Parley's own tools
- `List the issues of demo/tea on GitHub`, or the GitHub button beside the paper clip: a small GitHub of the demo's own
- ``Use `orders` with {"number": "7"}``, ``Ask `order_clerk` to use `orders` with {"number": "7"}``: a tool and an agent that an admin made, by their names
- `Read the demo page`, then `Search our files for tea`, then `Read the demo page` again: what has read a stranger's words and your files asks before it sends
- `How do I try approvals?`, `Ask me something`, `Work in many steps`, `Get stuck in a loop`: see an agent at work
- The thinking switch, to see thoughts before the answer
- `/error busy`, `/error unavailable`, `/error key`, `/error blocked`, `/error cut`, `/error midway`, \
`/error malformed`, `/error empty`: see how errors look
"""

GREETING = """\
Hello! I'm Parley's **demo provider**: a scripted stand-in that needs no key and no network. I don't understand language, but you can see \
every part of the chat work. Try `Write a report about solar energy`, `Show me a table` or `Give me a long answer`, or ask `What can I try?`
"""

PICTURES = """\
I am only the **demo provider**, a scripted stand-in for a real model: say `Draw a picture` and I show you the one picture that I have.

Try `Write a report about solar energy`, `Write a Python script about primes` or `Draw a sequence diagram of a chat`.
"""

SEARCHING = """\
The demo provider can play a web search. Ask for it in these words: `Search the web for solar energy`. The answer then shows what was searched, and its \
sources below it.
"""

ERRORS = """\
The demo provider can play these errors, so that you see what Parley makes of them:

| Message | What happens |
| --- | --- |
| `/error busy` | The provider's rate limit, with the time to wait |
| `/error unavailable` | The provider is overloaded |
| `/error key` | The key is rejected |
| `/error blocked` | The safety filter refuses the message |
| `/error cut` | The answer breaks off |
| `/error midway` | The provider fails in the middle of an answer |
| `/error malformed` | The model writes a tool call that can't be read; it is told so and answers |
| `/error empty` | The model gives no answer at all |
"""

APPROVAL = """\
You can be asked before a tool runs. The demo provider can show it with the document agent:

1. An admin opens the document agent in the organization's admin, switches **Ask the user before each call** on and publishes the change.
2. In a new message, ask me: `Write a report about solar energy`.
3. Parley shows what I want to call, with every argument, and waits. You may close the page meanwhile.

**Allow** runs the call, and I tell you what was written. **Don't allow** leaves it, with your reason if you give one, and I say so. Writing a message \
instead of deciding counts as a refusal.
"""

INTERJECTION = """\
I am the **demo provider**, so I can't change my course as a real model would. What you see works all the same: your message stopped the answer above at \
once, what was written of it is kept, and your words were the next thing that I read, in the same run.
"""

TABLE = """\
Here is a table from the demo provider. The figures are invented for display.

| Month | Conversations | Documents | Share of documents |
| :--- | ---: | ---: | ---: |
| January | 1,240 | 186 | 15.0 % |
| February | 1,395 | 251 | 18.0 % |
| March | 1,612 | 355 | 22.0 % |
| **Total** | **4,247** | **792** | **18.6 %** |

Columns may be aligned left, centred or right, and cells may hold `code`, **bold** text and [links](https://example.org/).
"""

CODE = '''\
The demo provider always shows the same function, which finds the longest run of equal items:

```python
from itertools import groupby


def longest_run(items: list[str]) -> tuple[str, int]:
    """Return the item with the longest run and the run's length."""
    runs = ((item, sum(1 for _ in group)) for item, group in groupby(items))
    return max(runs, key=lambda run: run[1])


print(longest_run(["a", "b", "b", "b", "c"]))  # ('b', 3)
```

The same idea in TypeScript:

```typescript
export function longestRun<T>(items: readonly T[]): { item: T; length: number } | null {
  let best: { item: T; length: number } | null = null;
  let start = 0;
  items.forEach((item, index) => {
    if (item !== items[start]) start = index;
    const length = index - start + 1;
    if (!best || length > best.length) best = { item, length };
  });
  return best;
}
```

It reads the list once and needs constant memory.
'''

MATHS = r"""
The demo provider knows one formula by heart. The roots of $ax^2 + bx + c = 0$ are

$$
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
$$

and the area under the bell curve is

$$
\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}.
$$

Inline formulas such as $e^{i\pi} + 1 = 0$ sit in the line.
""".lstrip()

MARKDOWN = """\
# Markdown in Parley

A short tour by the demo provider.

## Text

*Italic*, **bold**, ~~struck out~~, `inline code` and a [link](https://example.org/).

> A quotation may run over several lines
> and hold **emphasis**.

## Lists

1. First
2. Second
   - with a point below
   - and another
3. Third

- [x] a finished task
- [ ] an open one

## Table

| Left | Centre | Right |
| :--- | :---: | ---: |
| a | b | 1 |
| c | d | 22 |

## Code

```bash
make run
```

## Maths

$$ \\sum_{k=1}^{n} k = \\frac{n(n+1)}{2} $$

---

That's all.
"""

_LONG_PARTS = (
    ("A message leaves the browser", "a frame on a socket", "rights are checked again, because a membership may have ended a second ago"),
    ("The server writes it down", "one short transaction", "a message that is stored twice must be recognised as the same one"),
    ("A run begins", "a task that belongs to no socket", "closing the page must not stop the work"),
    ("The prompt is put together", "sections that an admin can read", "what the model saw must be exactly what the records show"),
    ("The provider answers", "a stream of small pieces", "the first piece matters more to people than the last"),
    ("Pieces become events", "a numbered log", "every viewer, early or late, must read the same story"),
    ("The screen follows", "blocks of text that settle one by one", "a table must not flicker while it grows"),
    ("A document is written", "a second agent beside the first", "its text goes to the panel and not into the chat"),
    ("Something fails", "a plain sentence with a way on", "half an answer is marked as half an answer"),
    (
        "Someone presses Stop",
        "a flag that the run sees within a second",
        "the provider's connection must close, or it goes on counting tokens",
    ),
    ("The answer ends", "an end mark, usage and a reason", "a stream that ends without its mark was cut"),
    ("Somebody comes back", "a replay and then the live tail", "nothing is lost and nothing is shown twice"),
)


def _long_section(number: int, name: str, thing: str, reason: str) -> str:
    return (
        f"## {number}. {name}\n\n"
        f"On the surface this step is {thing}. Below it there is a rule that shapes the whole design: {reason}. It sounds like a detail, and it"
        " is the kind of detail that decides whether people trust a tool or keep a copy of their text elsewhere.\n\n"
        "- What a person sees: steady progress and a calm page.\n- What the system does: one small step, recorded before the next one begins.\n"
        "- What could go wrong: a process ends, a network drops, two things happen at once.\n\n"
        f"So the test for this step is simple. Interrupt it at the worst moment, look at the page, and ask whether it still tells the truth."
    )


LONG = "\n\n".join(
    [
        "# The journey of a message",
        "A long answer from the demo provider, so that there is time to press Stop, reload the page or open it on a second screen.",
        *(_long_section(number, *part) for number, part in enumerate(_LONG_PARTS, start=1)),
        "---\n\nThat was the whole journey, about 1,500 tokens of it.",
    ]
)


REMINDER = "A reminder of the system came, as you see above. The demo provider has nothing to add.\n"

WHAT_TO_TRY = f"I am the **demo provider**. These are the scenes that I know.\n\n{EXAMPLES}"

ALL = (WHAT_TO_TRY, GREETING, APPROVAL, PICTURES, SEARCHING, ERRORS, TABLE, CODE, MATHS, MARKDOWN, LONG, INTERJECTION)


def general(text: str) -> str:
    """Return an answer to any message: what the demo is, what a script can tell about the text, and what to try."""
    words = re.findall(r"\w+", text)
    quote = " ".join(text.split())[:200]
    longest = max(words, key=len, default="")
    return f"""\
I'm Parley's **demo provider**, a scripted stand-in for a real model, so I can't really answer this:

> {quote or "(an empty message)"}

A script can still say something about it.

## Your message in figures

| What | Value |
| --- | ---: |
| Words | {len(words)} |
| Characters | {len(text)} |
| Longest word | `{longest}` |

The share of different words is $\\frac{{{len({word.lower() for word in words})}}}{{{max(len(words), 1)}}}$, which this line computes:

```python
words = {sorted({word.lower() for word in words})[:6]!r}
print(len(set(words)))
```

{EXAMPLES}
To talk to a real model, an admin enters a key in the organization's admin and chooses the provider `google`.
"""
