"""A small version of GitHub's MCP server: the names, arguments and answers of its tools, over invented repositories."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Annotated, Any

import orjson
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import BlobResourceContents, CallToolResult, EmbeddedResource, TextContent, TextResourceContents, ToolAnnotations
from pydantic import Field

from doubles.github.data import REPOSITORIES, Issue, Repository

READ = ToolAnnotations(read_only_hint=True)
WRITE = ToolAnnotations(read_only_hint=False)

Owner = Annotated[str, Field(description="Repository owner")]
Repo = Annotated[str, Field(description="Repository name")]


def github_server(*, read_only: bool = True) -> MCPServer:
    """Return a new server. `read_only`: without tools that write, as the header X-MCP-Readonly requests."""
    server: MCPServer = MCPServer("github-demo", version="1")
    for function in READ_TOOLS:
        server.add_tool(function, annotations=READ, structured_output=False)
    if not read_only:
        server.add_tool(issue_write, annotations=WRITE, structured_output=False)
    return server


def get_me() -> str:
    """Get details of the authenticated GitHub user."""
    return _json({"login": "demo", "name": "Demo"})


def search_repositories(
    query: Annotated[str, Field(description="Repository search query, with GitHub's search syntax")],
    page: Annotated[int, Field(ge=1)] = 1,
    perPage: Annotated[int, Field(ge=1, le=100)] = 30,  # noqa: N803  (the server's own name)
) -> str:
    """Find GitHub repositories by name, description, or other metadata."""
    words = [word.lower() for word in query.split() if ":" not in word]
    matches = [item for item in REPOSITORIES.values() if all(word in f"{item.full_name} {item.description}".lower() for word in words)]
    page_items = matches[(page - 1) * perPage : page * perPage]
    return _json({"total_count": len(matches), "incomplete_results": False, "items": [_repository(item) for item in page_items]})


def get_file_contents(
    owner: Owner, repo: Repo, path: Annotated[str, Field(description="Path to file or directory")] = "/"
) -> CallToolResult:
    """Get the contents of a file or directory from a GitHub repository."""
    repository, relative_path = _get_repository(owner, repo), path.strip("/")
    if relative_path in repository.files:
        return _file(repository, relative_path)
    entries = _entries(repository, relative_path)
    if not entries:
        raise ToolError(f"Failed to get file contents. The path does not point to a file or directory, or it does not exist: {path}")
    return CallToolResult(content=[TextContent(type="text", text=_json(entries))])


def list_issues(owner: Owner, repo: Repo, state: Annotated[str, Field(description="OPEN, CLOSED or both")] = "") -> str:
    """List issues in a GitHub repository."""
    issues = [issue for issue in _get_repository(owner, repo).issues if not state or issue.state == state.lower()]
    return _json({"issues": [_issue(issue) for issue in issues], "totalCount": len(issues)})


def issue_read(owner: Owner, repo: Repo, issue_number: Annotated[int, Field(description="The number of the issue")]) -> str:
    """Get information about a specific issue in a GitHub repository."""
    for issue in _get_repository(owner, repo).issues:
        if issue.number == issue_number:
            return _json({**_issue(issue), "body": issue.body})
    raise ToolError(f"failed to get issue: 404 Not Found #{issue_number}")


def issue_write(owner: Owner, repo: Repo, title: Annotated[str, Field(description="Issue title")], body: str = "") -> str:
    """Create a new issue in a GitHub repository."""
    _get_repository(owner, repo)
    return _json({"number": 10, "title": title, "body": body, "url": f"https://github.com/{owner}/{repo}/issues/10"})


def _get_repository(owner: str, repo: str) -> Repository:
    repository = REPOSITORIES.get(f"{owner}/{repo}")
    if repository is None:
        raise ToolError(f"failed to get repository: 404 Not Found {owner}/{repo}")
    return repository


def _entries(repository: Repository, folder: str) -> list[dict[str, Any]]:
    """Return the folder's files and subfolders, as GitHub lists them."""
    start = f"{folder}/" if folder else ""
    entries: dict[str, dict[str, Any]] = {}
    for path, content in repository.files.items():
        if path.startswith(start):
            name, _, deeper = path.removeprefix(start).partition("/")
            size = 0 if deeper else len(content)
            entries[name] = {"type": "dir" if deeper else "file", "size": size, "name": name, "path": start + name}
    return [entries[name] for name in sorted(entries)]


def _file(repository: Repository, path: str) -> CallToolResult:
    content, uri = repository.files[path], f"repo://{repository.full_name}/contents/{path}"
    resource: TextResourceContents | BlobResourceContents
    if isinstance(content, str):
        resource = TextResourceContents(uri=uri, mime_type="text/plain; charset=utf-8", text=content)
    else:
        resource = BlobResourceContents(uri=uri, mime_type="image/png", blob=base64.b64encode(content).decode())
    message = TextContent(type="text", text="successfully downloaded file")
    return CallToolResult(content=[message, EmbeddedResource(type="resource", resource=resource)])


def _repository(repository: Repository) -> dict[str, Any]:
    return {
        "full_name": repository.full_name,
        "description": repository.description,
        "private": repository.private,
        "default_branch": "main",
        "html_url": f"https://github.com/{repository.full_name}",
    }


def _issue(issue: Issue) -> dict[str, Any]:
    return {"number": issue.number, "title": issue.title, "state": issue.state, "labels": list(issue.labels)}


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


READ_TOOLS: tuple[Callable[..., Any], ...] = (get_me, search_repositories, get_file_contents, list_issues, issue_read)
