"""REST views of the chat's GitHub picker (docs/protocol.md): repositories, folders and attaching a file to a message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar

from asgiref.sync import async_to_sync
from django.utils.translation import gettext, gettext_lazy
from pydantic import BaseModel, ConfigDict, StringConstraints

from admin_config.defaults.github import GITHUB
from admin_config.release import ReleaseSnapshot
from admin_config.services.github_endpoints import github_source
from admin_config.services.selectors import live_release
from agents.errors import KeyMissing
from agents.runtime.key_lookup import KeyOwner, RequestKeys, header_keys
from agents.tools.github.browsing import Entry, Repository, file_content, folder, repositories
from agents.tools.github.connection import GithubCaller, github_connection
from files.api.schemas import FileItem, file_item
from files.services import file_upload
from tenants.authentication.sessions import session_hash
from tenants.context import tenant_tx
from tenants.errors import NotFound, ParleyError
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

if TYPE_CHECKING:
    from agents.tools.mcp.connection import McpConnection

TAG = "github"
Result = TypeVar("Result")
Name = Annotated[str, StringConstraints(max_length=201)]
Path = Annotated[str, StringConstraints(max_length=1000)]


class TokenMissing(ParleyError):
    code = "key_missing"
    status = 409
    message = gettext_lazy("There is no access token for GitHub.")
    action = "settings"


class RepositoryQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    query: Annotated[str, StringConstraints(max_length=100)] = ""


class FolderQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    repository: Name
    path: Path = ""


class FileRequest(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    repository: Name
    path: Path


class RepositoryItem(ResponseSchema):
    name: str
    description: str
    private: bool


class RepositoryList(ResponseSchema):
    items: list[RepositoryItem]


class EntryItem(ResponseSchema):
    name: str
    path: str
    kind: str
    size_bytes: int


class EntryList(ResponseSchema):
    items: list[EntryItem]


@dataclass(frozen=True, slots=True)
class _GithubSession:
    """Everything needed to query GitHub, collected before the event loop starts."""

    snapshot: ReleaseSnapshot
    caller: GithubCaller

    async def run(self, question: Callable[[McpConnection], Awaitable[Result]]) -> Result:
        """Call `question` with a new connection. Raises NotFound, TokenMissing and what `question` raises."""
        source = github_source(self.snapshot)
        if source is None:
            raise NotFound(gettext("This organization does not use GitHub."))
        async with AsyncExitStack() as exit_stack:
            try:
                connection = await github_connection(
                    source, provider=self.snapshot.active_provider, caller=self.caller, exit_stack=exit_stack
                )
            except KeyMissing as error:
                raise TokenMissing(str(error)) from error
            return await question(connection)


class GithubView(RestView):
    """Base view: determines the caller and their GitHub token."""

    write = True

    def session_for(self, request: ActorRequest) -> _GithubSession:
        actor = request.actor
        session = "" if request.token else session_hash(self.http.session.session_key)
        keys = RequestKeys(session_hash=session, sent_keys=header_keys(self.http.headers))
        with tenant_tx(actor.organization_id):
            snapshot = live_release(organization_id=actor.organization_id, membership_id=actor.membership_id).snapshot
        return _GithubSession(snapshot, GithubCaller(actor.organization_id, KeyOwner(membership_id=actor.membership_id, request=keys)))


class RepositoriesView(GithubView):
    @operation(
        "listGithubRepositories", "Your repositories on GitHub", tag=TAG, answer=RepositoryList, query=RepositoryQuery, errors=(409,)
    )
    def get(self, request: ActorRequest) -> RepositoryList:
        query = self.query(RepositoryQuery).query
        items = async_to_sync(self.session_for(request).run)(lambda connection: repositories(connection, query))
        return RepositoryList(items=[_repository(item) for item in items])


class FolderView(GithubView):
    @operation("listGithubFolder", "A folder of a repository", tag=TAG, answer=EntryList, query=FolderQuery, errors=(400, 409))
    def get(self, request: ActorRequest) -> EntryList:
        query = self.query(FolderQuery)
        entries = async_to_sync(self.session_for(request).run)(lambda connection: folder(connection, query.repository, query.path))
        return EntryList(items=[_entry(item) for item in entries])


class GithubFilesView(GithubView):
    """Attaches a file of a repository, with the same limits and file types as an upload."""

    @operation(
        "attachGithubFile",
        "Attach a file of a repository",
        tag=TAG,
        answer=FileItem,
        body=FileRequest,
        status=201,
        errors=(400, 409, 413, 415),
        idempotent=False,
    )
    def post(self, request: ActorRequest) -> FileItem:
        file_request = self.body(FileRequest, 'Send {"repository", "path"}.')
        content = async_to_sync(self.session_for(request).run)(
            lambda connection: file_content(connection, file_request.repository, file_request.path)
        )
        file = file_upload(actor=request.actor, name=content.name, content=content.content, source=GITHUB)
        return file_item(file, slug=request.actor.organization_slug)


def _repository(item: Repository) -> RepositoryItem:
    return RepositoryItem(name=item.name, description=item.description, private=item.private)


def _entry(item: Entry) -> EntryItem:
    return EntryItem(name=item.name, path=item.path, kind=item.kind, size_bytes=item.size_bytes)
