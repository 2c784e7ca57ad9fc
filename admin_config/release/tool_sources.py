"""Tool sources, as a release has them."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from admin_config.release.base import Snapshot


class ToolRule(Snapshot):
    """What an admin decided about one tool of a source, besides what holds for all of them. It only makes them stricter."""

    danger: Literal["", "safe", "moderate", "dangerous"] = ""
    confirm: bool = False


class ToolSourceSnapshot(Snapshot):
    """A tool source (admin_config.models.tools.ToolSource)."""

    id: UUID
    name: str
    kind: str
    prefix: str = ""
    allowed_tools: tuple[str, ...] = ()
    danger: Literal["", "safe", "moderate", "dangerous"] = ""
    confirm: bool = False
    tool_rules: dict[str, ToolRule] = {}  # by the source's own name of the tool
    open_hosts: tuple[str, ...] = ()
    member_switch: Literal["", "starts_on", "starts_off"] = ""  # whether members switch it, and how it is at first; empty: always on
    switch_label: str = ""
    switch_hint: str = ""
    settings: dict[str, Any] = {}
    pins: dict[str, Any] = {}
    secret_id: UUID | None = None  # row of the secret
