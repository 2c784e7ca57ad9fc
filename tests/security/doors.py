"""The doors file (SECURITY 9): every way in, what it hands out, which ids it takes, and the least role that may use it.

test_doors.py enumerates the product's ways in; one that is not listed here fails. "own" means the actor's own rows only.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Door:
    """`objects`: kinds it reaches; `ids`: where ids come in; `role`: anyone, user, viewer, member, admin, operator or system."""

    objects: str
    ids: str
    role: str


ROUTES = {
    "": Door("none (redirects)", "-", "anyone"),
    "login/": Door("user", "-", "anyone"),
    "logout/": Door("session", "-", "user"),
    "healthz": Door("none", "-", "anyone"),
    "readyz": Door("none", "-", "anyone"),
    "sandbox/<slug:name>/": Door("none (the page of a sandboxed frame)", "name", "anyone"),
    "api/chat": Door("own conversation, run of the token's organization", "id, messageId, modelId, keys in headers", "member, by token"),
    "api/chat/<str:key>/stream": Door("own run of the token's organization", "key", "viewer, by token"),
    "v1/models": Door("models of the token's organization", "-", "viewer, by token"),
    "v1/models/<path:name>": Door("model of the token's organization", "name", "viewer, by token"),
    "v1/chat/completions": Door("own conversation, run of the token's organization", "model, conversation in a header", "member, by token"),
    "v1/<path:rest>": Door("none (404)", "-", "viewer, by token"),
    "o/<slug:slug>/v1/models": Door("models of the organization", "slug", "viewer, by token"),
    "o/<slug:slug>/v1/models/<path:name>": Door("model of the organization", "slug, name", "viewer, by token"),
    "o/<slug:slug>/v1/chat/completions": Door(
        "own conversation, run of the organization", "slug, model, conversation in a header", "member, by token"
    ),
    "o/<slug:slug>/v1/<path:rest>": Door("none (404)", "-", "viewer, by token"),
    "o/<slug:slug>/": Door("organization", "slug", "viewer"),
    "o/<slug:slug>/c/<uuid:conversation_id>/": Door("organization", "slug (the page fetches the conversation)", "viewer"),
    "o/<slug:slug>/api/secrets/": Door("own secrets (write only)", "slug", "member"),
    "o/<slug:slug>/api/secrets/<uuid:secret_id>/": Door("own secret", "slug, id", "member"),
    "o/<slug:slug>/api/tokens/": Door("own API tokens (text shown once)", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/tokens/<uuid:token_id>/": Door("own API token", "slug, id", "viewer, in the browser only"),
    "o/<slug:slug>/api/tool-sources/<uuid:source_id>/try/": Door("a source of tools (its secret is used, not shown)", "slug, id", "admin"),
    "o/<slug:slug>/api/keys/": Door("own provider keys (write only)", "slug, provider", "member"),
    "o/<slug:slug>/api/keys/<slug:provider>/": Door("own provider key", "slug, provider", "member"),
    "o/<slug:slug>/api/keys/<slug:provider>/check/": Door("own provider key", "slug, provider", "member"),
    "o/<slug:slug>/api/chat": Door("own conversation, run", "slug, id, messageId, modelId, keys in headers", "member"),
    "o/<slug:slug>/api/chat/<str:key>/stream": Door("own run", "slug, key", "viewer"),
    "o/<slug:slug>/api/files/<uuid:file_id>/content/": Door("own file's bytes", "slug, id, signed token of member and file", "viewer"),
    "o/<slug:slug>/api/schema/": Door("none (the API's schema)", "slug", "viewer"),
    "o/<slug:slug>/api/docs/": Door("none (the API's page)", "slug", "viewer, in the browser only"),
    "api/schema/": Door("none (the API's schema)", "-", "anyone"),
    "api/docs/": Door("none (the API's page)", "-", "anyone"),
}
# REST calls: for a browser's session or an API token below an organization, and for an API token alone at the root.
REST = {
    "api/me/": Door("own preferences", "slug", "viewer"),
    "api/conversations/": Door("own conversations", "slug, cursor", "viewer"),
    "api/conversations/<str:key>/": Door("own conversation, messages, artifacts", "slug, key, before", "viewer; member to write"),
    "api/conversations/<str:key>/seen/": Door("own conversation's mark", "slug, key", "viewer"),
    "api/conversations/<str:key>/stop/": Door("own run", "slug, key", "member"),
    "api/conversations/<str:key>/input/": Door("own run", "slug, key, id", "member"),
    "api/conversations/<str:key>/tool-outputs/": Door("own run", "slug, key, call id", "member"),
    "api/conversations/<str:key>/approvals/<uuid:approval_id>/": Door("own run, approval", "slug, key, approval id", "member"),
    "api/files/": Door("own files", "slug", "member"),
    "api/files/<uuid:file_id>/": Door("own file", "slug, id", "viewer; member to write"),
    "api/artifacts/<uuid:artifact_id>/": Door("own artifact, suggestions, image's file", "slug, id", "viewer; member to write"),
    "api/artifacts/<uuid:artifact_id>/diff/": Door("own versions", "slug, id, numbers", "viewer"),
    "api/artifacts/<uuid:artifact_id>/export/": Door("own version, image's file", "slug, id, version", "viewer"),
    "api/artifacts/<uuid:artifact_id>/patch/": Door("own version; models of the organization", "slug, id, base", "member"),
    "api/artifacts/<uuid:artifact_id>/suggestions/decide/": Door("own artifact, suggestions", "slug, id, ids", "member"),
    "api/artifacts/<uuid:artifact_id>/versions/<int:number>/": Door("own version", "slug, id, number", "viewer"),
    "api/artifacts/<uuid:artifact_id>/revert/": Door("own artifact, version", "slug, id, number", "member"),
    "api/conversations/<str:key>/artifacts/": Door("own conversation, file", "slug, key, fileId", "member"),
    "api/conversations/<str:key>/export/": Door("own conversation, messages, artifacts", "slug, key", "viewer"),
    "api/conversations/<str:key>/messages/": Door("own messages", "slug, key, cursor", "viewer"),
    "api/artifacts/": Door("own artifacts", "slug, conversation, cursor", "viewer"),
    "api/artifacts/<uuid:artifact_id>/versions/": Door("own versions, file", "slug, id, cursor, base, fileId", "viewer; member to write"),
    "api/usage/": Door("own usage; the organization's", "slug, cursor", "viewer; admin for the organization's"),
    "api/models/": Door("models, prices", "slug", "viewer"),
    "api/github/repositories/": Door("none (GitHub, by the actor's own token)", "slug, query", "member"),
    "api/github/folder/": Door("none (GitHub, by the actor's own token)", "slug, repository, path", "member"),
    "api/github/files/": Door("own files (from GitHub, by the actor's own token)", "slug, repository, path", "member"),
    "api/agents/": Door("agents (names and descriptions)", "slug", "viewer"),
}
ROUTES |= {f"{mount}{path}": door for path, door in REST.items() for mount in ("o/<slug:slug>/", "")}

SOCKETS = {
    "o/<slug:slug>/ws/chat/": Door("own conversations, runs", "slug, frames", "viewer; member to send"),
    "o/<slug:slug>/ws/notify/": Door("own conversations", "slug", "viewer"),
}

FRAMES = {
    "send": Door("own conversation, run", "id, messageId, modelId", "member"),
    "resume": Door("own run", "id", "viewer"),
    "abort": Door("the socket's own request", "requestId", "viewer"),
}

TASKS = {
    "tenants.tasks.idempotent_answers_expire": Door("kept answers of all organizations (deletes old ones)", "-", "system"),
    "tenants.tasks.sessions_clear": Door("expired sessions", "-", "system"),
    "admin_config.tasks.model_catalogue_update": Door("organizations (ids only)", "-", "system"),
    "admin_config.tasks.organization_models_update": Door("models", "organization id", "the named tenant"),
    "security.tasks.session_keys_expire": Door("keys of ended sessions of all organizations", "-", "system; then each one's tenant"),
    "files.tasks.file_text_read": Door("file", "organization id, file id", "the named tenant"),
    "files.tasks.knowledge_text_read": Door("knowledge file", "organization id, file id", "the named tenant"),
    "files.tasks.files_forget": Door("old files of all organizations that no message has", "-", "each one's tenant"),
    "files.tasks.knowledge_texts_overdue": Door("old pending knowledge files of all organizations", "-", "each one's tenant"),
    "chat.tasks.runs_recover": Door("runs of all organizations (ids only)", "-", "system"),
    "chat.tasks.approvals_expire": Door("overdue approvals of all organizations", "-", "system; then each one's tenant"),
    "chat.tasks.run_take_over": Door("run", "run id", "system; then the run's tenant"),
    "chat.tasks.conversation_title_generate": Door("conversation", "organization id, conversation id", "the named tenant"),
}

TOOLS = {
    "document_agent": Door("artifacts of the run's conversation", "artifact_id", "the run's member"),
    "python_agent": Door("artifacts of the run's conversation", "artifact_id", "the run's member"),
    "mermaid_agent": Door("artifacts of the run's conversation", "artifact_id", "the run's member"),
    "git_mcp_agent": Door("repositories of the member's own token", "task", "the run's member"),
    "provider_tools_agent": Door("public web pages (no organization's rows)", "task", "the run's member"),
    "message": Door("the run's own answer", "-", "the run's member"),
}

# What each kind of tool source lets a model reach.
TOOL_SOURCES = {
    "plan": Door("the run's own answer", "-", "the run's member"),
    "page_state": Door("keys of the state that the run's page handed over", "keys, values", "the run's member"),
    "fetch_url": Door("public web pages (no organization's rows)", "url", "the run's member"),
    "search": Door("a search engine, with the organization's key", "query", "the run's member"),
    "files": Door("files of the source's folder", "path, glob", "the run's member"),
    "http": Door("an interface that an admin entered", "arguments of the admin's templates", "the run's member"),
    "mcp": Door("an MCP server that an admin entered", "arguments of its reviewed tools", "the run's member"),
    "github": Door("repositories of the member's own token", "arguments of its tools", "the run's member"),
}

ADMIN_CLASSES = {
    "organization": {
        "AgentConfig": Door("agents, operations, prompt sections, step rules, plugins, webhook secrets (write only)", "pk, model", "admin"),
        "AppSettings": Door("settings", "pk", "admin"),
        "ModelConfig": Door("models, prices", "pk", "admin"),
        "ProviderEndpoint": Door("endpoints, keys (write only), breakers (reset)", "pk", "admin"),
        "RegisteredSecret": Door("the organization's secrets (write only)", "pk", "admin"),
        "KnowledgeFile": Door("files of the organization's folders (upload, read, delete)", "pk, source", "admin"),
        "ToolSource": Door("sources of tools, their secrets (write only)", "pk, kind", "admin"),
        "Release": Door("releases (read, make live)", "pk", "admin"),
        "Membership": Door("members' roles", "pk", "admin"),
    },
    "operator": {
        "Organization": Door("organizations", "pk", "operator"),
        "Membership": Door("memberships", "pk", "operator"),
        "User": Door("users", "pk", "operator"),
    },
}
