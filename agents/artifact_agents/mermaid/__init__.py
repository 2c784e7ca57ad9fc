"""Checks whether a Mermaid diagram can be drawn, as far as that is possible without Mermaid itself.

The real parser is a JavaScript library and runs in the reader's browser, where it checks the diagram again. What is
rejected here, the parser would reject too, but not vice versa. Called by agents.artifact_agents.rules and
by evaluations through `diagram_problem`.

- `check`: the way in, by the diagram's type. `lines`: the lines that are checked; comments and directives (`%%{init: ...}%%`) are none.
- `flowcharts`, `blocks`, `statements`: the rules of each group of types.

What a directive may change is decided where diagrams are drawn: `SECURE` in frontend/src/sandbox/mermaid/settings.ts.
"""

from agents.artifact_agents.mermaid.check import diagram_problem

__all__ = ["diagram_problem"]
