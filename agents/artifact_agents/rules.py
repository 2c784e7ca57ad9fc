"""What each artifact agent can do: one entry per agent, one rule per operation (SPEC 4.4 to 4.7).

The prompts and switches of the operations are in admin_config.defaults.artifact_agents, under the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from admin_config.defaults.artifact_agents import DOCUMENT_AGENT, MERMAID_AGENT, PYTHON_AGENT
from agents.artifact_agents.mermaid import diagram_problem
from agents.artifact_agents.problems import Problem
from artifacts.kinds import MERMAID, PYTHON, TEXT, ArtifactKind


class OperationEffect(Enum):
    """What an operation does with the model's text."""

    CREATE = "a new artifact"
    CHANGE = "a new version"
    INLINE = "a result for the chat"
    INLINE_PROSE = "words about it for the chat"
    SUGGEST = "suggestions"
    REVERT = "an earlier version again, without a model"


@dataclass(frozen=True, slots=True)
class OperationRule:
    """One operation of an artifact agent."""

    name: str
    effect: OperationEffect
    purpose: str  # how it is described to the chat agent's model
    needs: tuple[str, ...]  # required arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactAgentRules:
    """What one artifact agent can do."""

    agent: str  # the agent's kind, and the name of its tool
    kind: ArtifactKind
    noun: str  # what it writes, as called in messages
    content: str  # the prompt placeholder of the current content
    operations: tuple[OperationRule, ...]
    check: Callable[[str], Problem | None] | None = None  # finds a problem in a text that it wrote; None: texts are not checked

    def operation(self, name: str) -> OperationRule | None:
        return next((rule for rule in self.operations if rule.name == name), None)


def _create(noun: str) -> OperationRule:
    return OperationRule("create", OperationEffect.CREATE, f"a new {noun}", ("title", "instruction"))


def _update(noun: str) -> OperationRule:
    return OperationRule("update", OperationEffect.CHANGE, f"change a {noun}", ("artifact_id", "instruction"))


def _generate(noun: str) -> OperationRule:
    return OperationRule("generate", OperationEffect.INLINE, f"a short {noun} for your answer, which you show", ("instruction",))


def _fix(noun: str) -> OperationRule:
    return OperationRule("fix", OperationEffect.CHANGE, f"mend a {noun} by its error_message", ("artifact_id", "error_message"))


_REVERT = OperationRule("revert", OperationEffect.REVERT, "make an earlier version the newest", ("artifact_id",))

DOCUMENTS = ArtifactAgentRules(
    agent=DOCUMENT_AGENT,
    kind=TEXT,
    noun="document",
    content="current_content",
    operations=(
        _create("document"),
        _update("document"),
        OperationRule(
            "suggestion", OperationEffect.SUGGEST, "suggest changes that the user accepts or rejects", ("artifact_id", "instruction")
        ),
        _REVERT,
    ),
)
PROGRAMS = ArtifactAgentRules(
    agent=PYTHON_AGENT,
    kind=PYTHON,
    noun="program",
    content="current_code",
    operations=(
        _generate("program"),
        _create("program"),
        _update("program"),
        _fix("program"),
        OperationRule("explain", OperationEffect.INLINE_PROSE, "explain a program, in words for your answer", ("artifact_id",)),
        _REVERT,
    ),
)
DIAGRAMS = ArtifactAgentRules(
    agent=MERMAID_AGENT,
    kind=MERMAID,
    noun="diagram",
    content="current_code",
    operations=(_generate("diagram"), _create("diagram"), _update("diagram"), _fix("diagram"), _REVERT),
    check=diagram_problem,
)
AGENT_RULES = (DOCUMENTS, PROGRAMS, DIAGRAMS)
ARTIFACT_TOOLS = frozenset(rules.agent for rules in AGENT_RULES)
