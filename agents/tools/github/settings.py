"""Settings of the organization's GitHub tool source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, gettext_noop as _
from pydantic import Field, field_validator

from admin_config.defaults.github import GITHUB_LABEL
from agents.tools.base import SourceSettings
from agents.tools.mcp.server import TIMEOUT_S, McpServer, validate_address
from security.secrets.secret_text import SecretText

TOOLSET = re.compile(r"[a-z][a-z_]{0,39}")


class GithubSettings(SourceSettings):
    url: str = Field(
        default="",
        max_length=500,
        title=_("Address"),
        description=_("Blank: GitHub's own MCP server. Members enter their tokens for this address."),
    )
    read_only: bool = Field(
        default=True, title=_("Read only"), description=_("Off: agents may write, too, and each call that writes asks the user.")
    )
    toolsets: tuple[str, ...] = Field(
        default=("context", "repos", "issues", "pull_requests", "users"),
        title=_("Groups of tools"),
        description=_("By GitHub's names, one on each line. All there are would cost a model thousands of tokens in each step."),
    )
    timeout_s: int = Field(
        default=TIMEOUT_S,
        ge=1,
        le=120,
        title=_("Seconds to wait"),
        description=_("For one call, connecting included. Progress starts them again."),
    )

    @field_validator("url")
    @classmethod
    def _can_be_called(cls, url: str) -> str:
        return validate_address(url)

    @field_validator("toolsets")
    @classmethod
    def _are_names(cls, toolsets: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := [name for name in toolsets if not TOOLSET.fullmatch(name)]:
            raise ValueError(gettext("%(value)s is no name of a group of tools.") % {"value": wrong[0]})
        return toolsets

    def tool_names(self, source_name: str, pins: Mapping[str, Any]) -> tuple[str, ...]:
        """Return nothing: the tools depend on a member's token, so they are not known beforehand."""
        return ()

    def server(self, url: str, token: SecretText | None) -> McpServer:
        header_values = {"X-MCP-Toolsets": ",".join(self.toolsets), "X-MCP-Readonly": "true" if self.read_only else ""}
        headers = {name: SecretText(value) for name, value in header_values.items() if value}
        if token is not None:
            headers["Authorization"] = SecretText(f"Bearer {token.reveal()}")
        return McpServer(label=GITHUB_LABEL, url=url, headers=headers, timeout_s=self.timeout_s)
