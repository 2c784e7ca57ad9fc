"""The check of a whole diagram: its type, then the rules of that type."""

from __future__ import annotations

import re

from agents.artifact_agents.mermaid.blocks import class_problem, er_problem, sequence_problem, state_problem
from agents.artifact_agents.mermaid.flowcharts import flowchart_problem
from agents.artifact_agents.mermaid.lines import diagram_lines
from agents.artifact_agents.mermaid.statements import gantt_problem, git_problem, journey_problem, pie_problem
from agents.artifact_agents.problems import Problem

CHECK_BY_TYPE = {
    "flowchart": flowchart_problem,
    "flowchart-elk": flowchart_problem,
    "graph": flowchart_problem,
    "sequenceDiagram": sequence_problem,
    "classDiagram": class_problem,
    "classDiagram-v2": class_problem,
    "stateDiagram": state_problem,
    "stateDiagram-v2": state_problem,
    "erDiagram": er_problem,
    "gantt": gantt_problem,
    "pie": pie_problem,
    "gitGraph": git_problem,
    "journey": journey_problem,
}
# Also drawn by Mermaid, but only their first line is checked here.
UNCHECKED_TYPES = re.compile(
    r"(?:mindmap|timeline|quadrantChart|requirementDiagram|requirement|C4(?:Context|Container|Component|Dynamic|Deployment)|zenuml|kanban|info"
    r"|(?:xychart|sankey|block|packet|architecture|radar|treemap|venn|ishikawa|swimlane|treeView|wardley|eventmodeling)(?:-beta)?)\Z"
)
_TYPE = re.compile(r"[A-Za-z][\w-]*")
UNKNOWN = (
    "a diagram begins with its type, such as flowchart TD, sequenceDiagram, classDiagram, stateDiagram-v2, erDiagram, gantt, pie, gitGraph or "
    'journey, and not with "{start}".'
)


def diagram_problem(code: str) -> Problem | None:
    """Return the first thing in `code` that Mermaid can't parse; None when nothing is found."""
    lines = diagram_lines(code)
    if not lines:
        return Problem("there is no diagram.", 1)
    for number, text in lines:
        if text.startswith(("```", "~~~")):
            return Problem("a code fence is no part of a diagram.", number)
    (number, first), rest = lines[0], lines[1:]
    match = _TYPE.match(first)
    name = match[0] if match else ""
    if UNCHECKED_TYPES.match(name):
        return None
    if name not in CHECK_BY_TYPE:
        return Problem(UNKNOWN.format(start=first[:40]), number)
    return CHECK_BY_TYPE[name]((lines[0]._replace(text=first[len(name) :].strip()), *rest))
