"""What the server sees wrong in a diagram. Each of these was compared with Mermaid's own parser (12.3.0)."""

from __future__ import annotations

import pytest

from agents.artifact_agents.mermaid import diagram_problem

GOOD = {
    "flowchart": """\
---
title: A title
---
%%{init: {"theme": "dark"}}%%
flowchart TD
  %% a comment [
  A["Start (now)"] --> B{Is it > 3?}
  B -->|Yes| C((Round)) & D[(Data)]
  B -- "no (way)" --> E>flag]
  subgraph one ["My (group)"]
    direction LR
    F[/a\\] --> G{{hex}} --> H([stadium])
  end
  I@{
    shape: circle
    label: "x (y)"
  }
  K["`A **text**
  in (two) lines`"] --> I
  L["<b>x</b> (y)"] --> endpoint
  M[Line one<br>Line two] --> N((x<br/>y)) --> O>a flag] --> P[z<br>q]
  Q[more a>b] --> R{is a>b}
  style A fill:#f9f,stroke:#333
  click A call back("x")
""",
    "sequence": """\
sequenceDiagram
  autonumber
  participant A as Alice (first)
  A->>+API-Gateway: call {x}
  loop Every minute
    API-Gateway-->>-A: 200 "OK
  end
  alt yes
    A-xB: a
  else no
    A--)B: b
  end
  Note over A,B: note
  A<<->>B: both
""",
    "class": """\
classDiagram
  class Animal {
    +eat(food) void
    +Map~String,int~ m
  }
  Animal <|-- Dog : is {a}
  class Empty {}
  class Cat:::pet {
    +purr()
  }
  note for Animal "hi {"
""",
    "state": """\
stateDiagram-v2
  [*] --> A
  state B {
    [*] --> C
  }
  state "Step 1: load" as L {
    [*] --> D
  }
  note right of A
    text { here
  end note
""",
    "er": """\
erDiagram
  CUSTOMER ||--o{ ORDER : places
  ORDER {
    int id PK "the {key}"
    string[] parts
  }
""",
    "gantt": "gantt\n  title T\n  dateFormat YYYY-MM-DD\n  section S\n  Paint :a1, 2026-01-01, 3d\n",
    "pie": 'pie showData title Pets\n  "Dogs" : 3\n  "Cats" : 4.5\n',
    "git graph": 'gitGraph LR:\n  commit id: "a"\n  branch dev\n  checkout main\n  merge dev\n',
    "journey": "journey\n  title T\n  section S\n    Make tea: 5: Me, You\n",
    "mind map": "mindmap\n  root((x))\n    a\n",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_diagram_that_mermaid_draws_is_let_through(name: str) -> None:
    assert diagram_problem(GOOD[name]) is None


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ("", 1, "there is no diagram"),
        ("Here is the diagram:\nflowchart TD\n  A --> B\n", 1, "begins with its type"),
        ("flowchart TD\n  A --> B\n```\n", 3, "code fence"),
        ("flowchart XX\n  A --> B\n", 1, "no direction"),
        ("flowchart TD\n  A[Start (now)] --> B\n", 2, "double quotes"),
        ("flowchart TD\n  A -->|x (y)| B\n", 2, "double quotes"),
        ('flowchart TD\n  A[He said "hi"] --> B\n', 2, "#quot;"),
        ("flowchart TD\n  A --> B\n  B[Start --> C\n  C --> D\n", 3, "is not closed"),
        ("flowchart TD\n  A --> B)\n", 2, "closes nothing"),
        ('flowchart TD\n  A["Start] --> B\n  B --> C\n', 2, "not closed"),
        ("flowchart TD\n  A --> end\n", 2, "can't be an id"),
        ("flowchart TD\n  subgraph x\n  A --> B\n", 2, "no end"),
        ("%% first\nflowchart TD\n  A --> B\n  end\n", 4, "closes no subgraph"),
        ("sequenceDiagram\n  A->>B\n", 2, "colon"),
        ("sequenceDiagram\n  A->>B: 1\n  And then it goes on\n", 3, "no message"),
        ("sequenceDiagram\n  loop x\n  A->>B: 1\n", 2, "not closed with end"),
        ("sequenceDiagram\n  A->>B: 1\n  end\n", 3, "closes no block"),
        ("sequenceDiagram\n  else x\n", 2, "in no block"),
        ("classDiagram\n  class A {\n    +x\n", 2, "not closed"),
        ("stateDiagram-v2\n  A --> B\n  }\n", 3, "closes no block"),
        ("stateDiagram-v2\n  note left of A\n    text\n", 2, "end note"),
        ("erDiagram\n  CUSTOMER ||--o{ ORDER\n", 2, "label"),
        ("erDiagram\n  A {\n    id\n  }\n", 3, "no attribute"),
        ("gantt\n  dateFormat YYYY-MM-DD\n  Task one\n", 3, "no task"),
        ("pie\n  Dogs : 3\n", 2, "a slice is"),
        ("gitGraph\n  commit\n  push origin\n", 3, "commit, branch"),
        ("journey\n  Make tea\n", 2, "a score"),
    ],
)
def test_the_first_mistake_is_told_with_its_line(code: str, line: int, words: str) -> None:
    problem = diagram_problem(code)
    assert problem is not None
    assert problem.line == line
    assert words in problem.text
