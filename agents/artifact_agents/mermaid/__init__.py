"""Checks whether a Mermaid diagram can be drawn, as far as that is possible without Mermaid itself.

The real parser is a JavaScript library and runs in the reader's browser, where it checks the diagram again. What is
rejected here, the parser would reject too, but not vice versa. Called by agents.artifact_agents.rules and
by evaluations through `diagram_problem`.
"""

from agents.artifact_agents.mermaid.check import diagram_problem

__all__ = ["diagram_problem"]
