"""Placeholders for registered secrets (SPEC 3.17).

On the way to a model, a placeholder replaces each secret; on the way to the secret's own host, its value replaces the
placeholder. Only what a model is sent is masked; the conversation keeps what was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, TypeVar

from agents.messages import Entry, ModelRequest, ProviderToolCall, Reasoning, SystemPrompt, ToolCall, ToolDefinition, ToolResult
from security.known_secrets import EchoFilter, map_texts

PLACEHOLDER = re.compile(r"\{\{secret:([a-z0-9_.]+)\}\}")
# Identifiers and codes, which the platform wrote. Calls and results are matched by them.
UNMASKED_FIELDS = frozenset(
    {"id", "call_id", "artifact_id", "approval_id", "kind", "operation", "code", "status", "state", "level", "action"}
)

MaskableT = TypeVar("MaskableT", bound=Entry | SystemPrompt)


class Revealable(Protocol):
    """A value that is only shown on request (security.secrets.secret_text)."""

    def reveal(self) -> str: ...


@dataclass(frozen=True, slots=True)
class RegisteredSecret:
    """A secret that only the connector of `tool` may use, and only for `origin`."""

    name: str  # lower-case letters, digits, _ and dots
    value: Revealable
    tool: str
    origin: str  # scheme://host:port


def secret_placeholder(name: str) -> str:
    """Return the placeholder text, such as {{secret:name}}."""
    return f"{{{{secret:{name}}}}}"


class Placeholders:
    """The secrets of one run. False when there are none.

    A value is found in each form that `security.known_secrets` knows. If two secrets have the same value, the name of the
    first is used.
    """

    def __init__(self, secrets: Iterable[RegisteredSecret] = ()) -> None:
        self._secrets = {secret.name: secret for secret in secrets}
        replacements: dict[str, str] = {}
        for name, secret in self._secrets.items():
            replacements.setdefault(secret.value.reveal(), secret_placeholder(name))
        self._echoes = EchoFilter(replacements)

    def __bool__(self) -> bool:
        return bool(self._secrets)

    def mask(self, text: str) -> str:
        """Return `text` with a placeholder for every secret; the same object when it contains none."""
        return self._echoes.hide(text)

    def mask_value(self, value: Any) -> Any:
        """Return a JSON value with all its strings and keys masked; the same object when nothing was found.

        Also used for a connector's results.
        """
        return self._echoes.hide_value(value)

    def restore(self, value: Any, *, tool: str, origin: str) -> Any:
        """Return a JSON value in which placeholders are replaced by the secrets that `tool` may send to `origin`.

        Other placeholders stay. For headers and bodies only: a secret is never sent in a URL (SECURITY 11). Show, log
        and store the value before calling this.
        """

        def value_of(match: re.Match[str]) -> str:
            secret = self._secrets.get(match[1])
            is_allowed = secret is not None and secret.tool == tool and secret.origin == origin
            return secret.value.reveal() if secret is not None and is_allowed else match[0]

        return map_texts(value, lambda text: PLACEHOLDER.sub(value_of, text))

    def mask_entry(self, entry: MaskableT) -> MaskableT:
        """Return the entry without secrets; the same object when it contains none.

        Provider metadata that contains a secret is dropped. So is that of changed reasoning, because it is signed for
        the original text.
        """
        exempt_fields = (
            UNMASKED_FIELDS | {"name", "provider_metadata"}
            if isinstance(entry, ToolCall | ToolResult | ProviderToolCall)
            else UNMASKED_FIELDS | {"provider_metadata"}
        )
        changes: dict[str, Any] = {}
        for field in fields(entry):
            value = getattr(entry, field.name)
            if field.name not in exempt_fields and (mask_value := self.mask_value(value)) is not value:
                changes[field.name] = mask_value
        provider_metadata = getattr(entry, "provider_metadata", None)
        if provider_metadata is not None and (
            (changes and isinstance(entry, Reasoning)) or self.mask_value(provider_metadata) is not provider_metadata
        ):
            changes["provider_metadata"] = None
        return replace(entry, **changes) if changes else entry


class RequestMasker:
    """Masks the requests of one model. Entries that were masked before cost only a look-up while they stay in the requests."""

    def __init__(self, placeholders: Placeholders) -> None:
        self._placeholders = placeholders
        self._tools: tuple[tuple[ToolDefinition, ...], tuple[ToolDefinition, ...]] = ((), ())
        self._system = (SystemPrompt(""), SystemPrompt(""))
        # By object identity; the entry itself is kept, so that its id() is not reused.
        self._masked_by_id: dict[int, tuple[Entry, Entry]] = {}

    def mask_request(self, request: ModelRequest) -> ModelRequest:
        """Return `request` without secrets in prompt, entries and tools; entries without secrets stay the same objects."""
        self._masked_by_id = {id(entry): self._masked_by_id.get(id(entry)) or self._pair(entry) for entry in request.entries}
        return replace(
            request,
            system=self._masked_system(request.system),
            entries=tuple(self._masked_by_id[id(entry)][1] for entry in request.entries),
            tools=self._masked_tools(request.tools),
        )

    def _pair(self, entry: Entry) -> tuple[Entry, Entry]:
        return entry, self._placeholders.mask_entry(entry)

    def _masked_system(self, system: SystemPrompt) -> SystemPrompt:
        if self._system[0] != system:
            self._system = (system, self._placeholders.mask_entry(system))
        return self._system[1]

    def _masked_tools(self, tools: tuple[ToolDefinition, ...]) -> tuple[ToolDefinition, ...]:
        if self._tools[0] is not tools:
            self._tools = (tools, tuple(map(self._masked_tool, tools)))
        return self._tools[1]

    def _masked_tool(self, tool: ToolDefinition) -> ToolDefinition:
        mask_value = self._placeholders.mask_value
        return replace(tool, description=mask_value(tool.description), input_schema=mask_value(tool.input_schema))
