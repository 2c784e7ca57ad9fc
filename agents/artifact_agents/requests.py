"""The arguments of an artifact agent's tool, as the chat agent's model writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from agents.artifact_agents.rules import ArtifactAgentRules, OperationEffect, OperationRule
from agents.errors import ToolFailed
from agents.messages import ToolDefinition
from tenants.input.visible_text import visible_line

ARGUMENT_DESCRIPTIONS = {
    "title": "a title",
    "instruction": "an instruction: all that the agent must know, because of the conversation it sees the attached files alone",
    "artifact_id": "the artifact_id",
    "error_message": "the error_message: the whole error as it was shown",
}


class ArtifactRequest(BaseModel):
    """One call. `version`: for a revert, the number of the version to restore."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)

    operation: str
    instruction: str = ""
    title: str = ""
    artifact_id: str = ""
    error_message: str = ""
    version: int | None = None

    @property
    def one_line_title(self) -> str:
        return visible_line(self.title)


def parse_artifact_request(arguments: dict[str, Any], rules: ArtifactAgentRules) -> tuple[ArtifactRequest, OperationRule]:
    """Return the request and its rule. Raises ToolFailed with a text that tells the model what to correct."""
    try:
        request = ArtifactRequest.model_validate(arguments)
    except ValidationError as error:
        names = ", ".join(sorted({str(problem["loc"][0]) for problem in error.errors()}))
        raise ToolFailed(f"These arguments are missing or wrong: {names}.") from error
    rule = rules.operation(request.operation)
    if rule is None:
        choices = ", ".join(operation.name for operation in rules.operations)
        raise ToolFailed(f'There is no operation "{request.operation}". Choose one of: {choices}.')
    if missing := [ARGUMENT_DESCRIPTIONS[name] for name in rule.needs if not getattr(request, name)]:
        raise ToolFailed(f'The operation "{rule.name}" needs {" and ".join(missing)}.')
    return request, rule


@lru_cache(maxsize=1024)
def tool_definition(name: str, description: str, operations: tuple[OperationRule, ...]) -> ToolDefinition:
    """Return the tool as the model sees it with these operations. Cached: all runs of a release have the same."""
    return ToolDefinition(name, description, input_schema(operations))


def input_schema(operations: tuple[OperationRule, ...]) -> Mapping[str, Any]:
    """Return the argument schema of the enabled operations."""
    purposes = " ".join(f"{rule.name}: {rule.purpose}." for rule in operations)
    return {
        "type": "object",
        "properties": {
            "operation": {"type": "string", "enum": [rule.name for rule in operations], "description": purposes},
            **{name: schema for name, schema in _arguments(operations).items() if schema},
        },
        "required": ["operation"],
    }


def _arguments(operations: Sequence[OperationRule]) -> dict[str, dict[str, str]]:
    """Return the schema of each argument; an empty one when no offered operation takes it."""

    def text(name: str, description: str) -> dict[str, str]:
        users = ", ".join(rule.name for rule in operations if name in rule.needs)
        return {"type": "string", "description": f"For {users}: {description}"} if users else {}

    reverts = any(rule.effect is OperationEffect.REVERT for rule in operations)
    return {
        "title": text("title", "a short title."),
        "instruction": text("instruction", "all that the agent must know; of the conversation it sees the attached files alone."),
        "artifact_id": text("artifact_id", "the id of the artifact."),
        "error_message": text("error_message", "the whole error as it was shown, word for word."),
        "version": {"type": "integer", "description": "For revert: the version to go back to; the one before the newest without it."}
        if reverts
        else {},
    }
