"""Tools that list, read and search the knowledge files of the conversation's project (SPEC 6.8). Their owner uploads the files."""

from __future__ import annotations

from admin_config.defaults.platform import PROJECT_FILE_TOOLS
from agents.engine.ports import Tool
from agents.tools.base import ToolBuildContext
from agents.tools.sources.files import KnowledgeFolder, list_tool, read_tool, search_tool
from files.knowledge.selectors import Folder

LIST, READ, SEARCH = PROJECT_FILE_TOOLS
OWNER = "the project"


def project_file_tools(build: ToolBuildContext) -> tuple[Tool, ...]:
    """Return the tools; none where the conversation is in no project, or the project has no files."""
    project = build.run.project
    if project is None or not project.has_files:
        return ()
    folder = KnowledgeFolder(build.run.organization_id, Folder(project.id, is_project=True), list_name=LIST, search_name=SEARCH)
    return (list_tool(LIST, folder, OWNER), read_tool(READ, folder, OWNER), search_tool(SEARCH, folder, OWNER))
