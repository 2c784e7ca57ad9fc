"""The demo's diagrams: one of each common type, about the subject that the user names."""

from __future__ import annotations

import re

from doubles.demo.showcase import BREW, BREWING, PASSKEY, SIGN_IN

_TYPES = (
    (
        r"\bsequence\b",
        """\
sequenceDiagram
  participant User
  participant Parley
  participant Model
  User->>Parley: {topic}
  Parley->>Model: The question and what belongs to it
  loop While words come
    Model-->>Parley: A piece of the answer
    Parley-->>User: The same piece
  end
  Note over User,Parley: The answer is stored
""",
    ),
    (
        r"\bclass\b",
        """\
classDiagram
  class Subject {
    +String name
    +describe() String
  }
  class Part {
    +int size
  }
  Subject "1" --> "*" Part : has
  note for Subject "{topic}"
""",
    ),
    (
        r"\bstates?\b",
        """\
stateDiagram-v2
  [*] --> Idea
  Idea --> Draft : {topic}
  state Draft {
    [*] --> Writing
    Writing --> Reading
    Reading --> Writing
  }
  Draft --> Done
  Done --> [*]
""",
    ),
    (
        r"\b(?:er|entity|entities|database)\b",
        """\
erDiagram
  CUSTOMER ||--o{ ORDER : places
  ORDER ||--|{ LINE : contains
  CUSTOMER {
    int id PK
    string name "{topic}"
  }
  ORDER {
    int id PK
    date placed_on
  }
""",
    ),
    (
        r"\bgantt\b",
        """\
gantt
  title {topic}
  dateFormat YYYY-MM-DD
  section Begin
  Find out what is needed :a1, 2026-03-02, 5d
  Plan :a2, after a1, 3d
  section Work
  Build :b1, after a2, 10d
  Try out :b2, after b1, 4d
""",
    ),
    (r"\bpie\b", 'pie title {topic}\n  "First" : 45\n  "Second" : 30\n  "Third" : 25\n'),
    (
        r"\bgit\b",
        "gitGraph\n  commit\n  branch draft\n  checkout draft\n  commit\n  commit\n  checkout main\n  commit\n  merge draft\n",
    ),
    (
        r"\bjourney\b",
        "journey\n  title {topic}\n  section Begin\n    Ask: 4: User\n    Wait: 2: User\n  section End\n    Read: 5: User, Team\n",
    ),
    (r"\bmind ?map\b", "mindmap\n  root(({topic}))\n    What\n    Why\n      Reasons\n    How\n"),
)
_FLOWCHART = """\
flowchart TD
  A["{topic}"] --> B{Is it clear?}
  B -->|Yes| C["Do it"]
  B -->|No| D["Ask (kindly)"]
  D --> B
  C --> E((Done))
"""
_ERROR_WORD = re.compile(r"\b(?:broken|wrong|error|mistake)\b", re.IGNORECASE)
_UNCLOSED = "sequenceDiagram\n  loop Every day\n  User->>Parley: {topic}\n  Parley-->>User: An answer\n"


def diagram(instruction: str, topic: str) -> str:
    """Return a diagram of the type that the instruction names. On request it is a broken one, so that Parley reports an error."""
    if PASSKEY.pattern.search(instruction):
        return SIGN_IN
    if BREW.pattern.search(instruction):
        return BREWING
    code = _UNCLOSED if _ERROR_WORD.search(instruction) else _of_type(instruction)
    return code.replace("{topic}", _plain(topic) or "The subject")


def apply_change(code: str, instruction: str) -> str:
    """Return the code with the requested change, as far as a script can make it."""
    request = _plain(instruction) or "Changed"
    first = code.split(maxsplit=1)[0] if code.split() else ""
    if first in ("flowchart", "graph"):
        return f'{code.rstrip()}\n  Wish["{request}"]\n'
    if first == "sequenceDiagram":
        return f"{code.rstrip()}\n  User->>Parley: {request}\n"
    return f"{code.rstrip()}\n%% Requested change: {request}\n"


def repair(code: str, error: str) -> str:
    """Return the code with its missing `end`; for any other error, with a note only."""
    if "not closed with end" in error or "no end" in error:
        return f"{code.rstrip()}\n  end\n"
    return f"{code.rstrip()}\n%% The demo provider can't mend this; a real model would.\n"


def _of_type(instruction: str) -> str:
    return next((code for pattern, code in _TYPES if re.search(pattern, instruction, re.IGNORECASE)), _FLOWCHART)


def _plain(text: str) -> str:
    """Return words that are safe in every type of diagram."""
    return " ".join(re.sub(r"[^\w\s.,'-]", " ", text).split())[:60].strip(" .,'-")
