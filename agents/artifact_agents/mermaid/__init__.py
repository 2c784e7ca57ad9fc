"""Whether a diagram can be drawn, as far as that is seen without Mermaid itself.

The parser is a JavaScript library and runs in the reader's browser, which is the second judge: what is refused here the parser would
refuse, too, but not the other way round.
"""

from agents.artifact_agents.mermaid.check import diagram_problem

__all__ = ["diagram_problem"]
