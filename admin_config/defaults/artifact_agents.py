"""Defaults of the agents that write artifacts (SPEC 4.4 to 4.7). agents.artifact_agents.rules implements their operations.

Their prompts and descriptions are in `artifact_prompts`.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from admin_config.defaults import artifact_prompts
from admin_config.defaults.kinds import KindDefaults, OperationDefaults

DOCUMENT_AGENT = "document_agent"
PYTHON_AGENT = "python_agent"
MERMAID_AGENT = "mermaid_agent"

_INSTRUCTION, _TITLE = frozenset({"instruction"}), frozenset({"title"})
_CONTENT, _CODE = frozenset({"current_content"}), frozenset({"current_code"})
_ERROR = frozenset({"error_message"})
_REVERT = OperationDefaults("revert")
_PATCH = OperationDefaults(
    name="patch",
    system_prompt=artifact_prompts.PATCH_PROMPT,
    user_prompt_template=artifact_prompts.PATCH_TEMPLATE,
    required=_INSTRUCTION | frozenset({"selection"}),
    optional=_TITLE | frozenset({"before", "after"}),
)


def _create(prompt: str, template: str) -> OperationDefaults:
    return OperationDefaults("create", prompt, template, required=_INSTRUCTION, optional=_TITLE)


def _update(prompt: str, template: str, content: frozenset[str]) -> OperationDefaults:
    return OperationDefaults("update", prompt, template, required=_INSTRUCTION | content, optional=_TITLE)


def _generate(prompt: str) -> OperationDefaults:
    return OperationDefaults("generate", prompt, artifact_prompts.INSTRUCTION_TEMPLATE, required=_INSTRUCTION)


def _fix(prompt: str) -> OperationDefaults:
    return OperationDefaults("fix", prompt, artifact_prompts.CODE_FIX_TEMPLATE, required=_CODE | _ERROR, optional=_INSTRUCTION | _TITLE)


ARTIFACT_AGENTS: dict[str, KindDefaults] = {
    DOCUMENT_AGENT: KindDefaults(
        label=_("Document agent"),
        system_prompt=artifact_prompts.DOCUMENT_SYSTEM_PROMPT,
        description=artifact_prompts.DOCUMENT_DESCRIPTION,
        operations=(
            _create(artifact_prompts.DOCUMENT_CREATE_PROMPT, artifact_prompts.DOCUMENT_CREATE_TEMPLATE),
            _update(artifact_prompts.DOCUMENT_UPDATE_PROMPT, artifact_prompts.DOCUMENT_UPDATE_TEMPLATE, _CONTENT),
            OperationDefaults(
                name="suggestion",
                system_prompt=artifact_prompts.DOCUMENT_SUGGESTION_PROMPT,
                user_prompt_template=artifact_prompts.DOCUMENT_UPDATE_TEMPLATE,
                required=_INSTRUCTION | _CONTENT,
                optional=_TITLE,
            ),
            _PATCH,
            _REVERT,
        ),
        is_tool=True,
    ),
    PYTHON_AGENT: KindDefaults(
        label=_("Python agent"),
        system_prompt=artifact_prompts.PYTHON_SYSTEM_PROMPT,
        description=artifact_prompts.PYTHON_DESCRIPTION,
        operations=(
            _generate(artifact_prompts.PYTHON_GENERATE_PROMPT),
            _create(artifact_prompts.PYTHON_CREATE_PROMPT, artifact_prompts.CODE_CREATE_TEMPLATE),
            _update(artifact_prompts.PYTHON_UPDATE_PROMPT, artifact_prompts.CODE_UPDATE_TEMPLATE, _CODE),
            _fix(artifact_prompts.PYTHON_FIX_PROMPT),
            OperationDefaults(
                name="explain",
                system_prompt=artifact_prompts.PYTHON_EXPLAIN_PROMPT,
                user_prompt_template=artifact_prompts.CODE_UPDATE_TEMPLATE,
                required=_CODE,
                optional=_INSTRUCTION | _TITLE,
            ),
            _PATCH,
            _REVERT,
        ),
        is_tool=True,
    ),
    MERMAID_AGENT: KindDefaults(
        label=_("Diagram agent"),
        system_prompt=artifact_prompts.MERMAID_SYSTEM_PROMPT,
        description=artifact_prompts.MERMAID_DESCRIPTION,
        operations=(
            _generate(artifact_prompts.MERMAID_CREATE_PROMPT),
            _create(artifact_prompts.MERMAID_CREATE_PROMPT, artifact_prompts.CODE_CREATE_TEMPLATE),
            _update(artifact_prompts.MERMAID_UPDATE_PROMPT, artifact_prompts.CODE_UPDATE_TEMPLATE, _CODE),
            _fix(artifact_prompts.MERMAID_FIX_PROMPT),
            _PATCH,
            _REVERT,
        ),
        is_tool=True,
        repairs=True,
    ),
}
