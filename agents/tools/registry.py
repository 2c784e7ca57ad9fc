"""The registry of tool source kinds, one entry each."""

from __future__ import annotations

from collections.abc import Mapping

from agents.tools.base import SourceKind
from agents.tools.sources.fetch_url import FetchUrlKind
from agents.tools.sources.files import FilesKind
from agents.tools.sources.github import GithubKind
from agents.tools.sources.http import HttpKind
from agents.tools.sources.mcp import McpKind
from agents.tools.sources.page_state import PageStateKind
from agents.tools.sources.page_tool import PageToolKind
from agents.tools.sources.plan import PlanKind
from agents.tools.sources.search import SearchKind
from agents.tools.sources.templates import TemplatesKind

KINDS: tuple[SourceKind, ...] = (
    PlanKind(),
    FetchUrlKind(),
    SearchKind(),
    FilesKind(),
    HttpKind(),
    McpKind(),
    GithubKind(),
    PageStateKind(),
    PageToolKind(),
    TemplatesKind(),
)
SOURCE_KINDS: Mapping[str, SourceKind] = {kind.name: kind for kind in KINDS}
