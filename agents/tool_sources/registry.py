"""The kinds of tool sources: one entry each."""

from __future__ import annotations

from collections.abc import Mapping

from agents.tool_sources.base import SourceKind
from agents.tool_sources.fetch_url import FetchUrlKind
from agents.tool_sources.files import FilesKind
from agents.tool_sources.github import GithubKind
from agents.tool_sources.http import HttpKind
from agents.tool_sources.mcp import McpKind
from agents.tool_sources.page_state import PageStateKind
from agents.tool_sources.plan import PlanKind
from agents.tool_sources.search import SearchKind

KINDS: tuple[SourceKind, ...] = (
    PlanKind(),
    FetchUrlKind(),
    SearchKind(),
    FilesKind(),
    HttpKind(),
    McpKind(),
    GithubKind(),
    PageStateKind(),
)
SOURCE_KINDS: Mapping[str, SourceKind] = {kind.name: kind for kind in KINDS}
