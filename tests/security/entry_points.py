"""All entry points (SECURITY 9): every way in, what it hands out, which ids it takes, and the least role that may use it.

test_entry_points.py enumerates the product's ways in; one that is not listed here fails. "own" means the actor's own rows only.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EntryPoint:
    """`objects`: kinds it reaches; `ids`: where ids come in; `role`: anyone, user, viewer, member, admin, operator or system."""

    objects: str
    ids: str
    role: str


ROUTES = {
    "": EntryPoint("none (redirects)", "-", "anyone"),
    "login/": EntryPoint("user", "-", "anyone"),
    "logout/": EntryPoint("session", "-", "user"),
    "accounts/inactive/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    "accounts/sign-up/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    "accounts/verify/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    "accounts/code/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    "accounts/code/confirm/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    "accounts/password/reset/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    "accounts/password/reset/code/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    "accounts/password/reset/new/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    "accounts/password/reset/done/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    "accounts/reauthenticate/": EntryPoint("own user", "-", "user"),
    "organizations/new/": EntryPoint("none (makes an organization of one's own, where the operator allows it)", "-", "user"),
    "accounts/": EntryPoint("own account", "-", "user"),
    "accounts/password/": EntryPoint("own user", "-", "user"),
    "accounts/password/set/": EntryPoint("own user", "-", "user"),
    "accounts/addresses/": EntryPoint("own addresses", "-", "user"),
    "accounts/language/": EntryPoint("own language", "-", "user"),
    "accounts/sessions/": EntryPoint("own sessions", "-", "user"),
    "accounts/sign-on/<uuid:organization_id>/forget/": EntryPoint("own identity at an organization's sign-on", "organization", "user"),
    "accounts/2fa/": EntryPoint("own second factors", "-", "user"),
    "accounts/2fa/authenticate/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    "accounts/2fa/confirm/": EntryPoint("own second factors", "-", "user"),
    "accounts/2fa/app/": EntryPoint("own second factors", "-", "user"),
    "accounts/2fa/app/remove/": EntryPoint("own second factors", "-", "user"),
    "accounts/2fa/recovery-codes/": EntryPoint("own second factors", "-", "user"),
    "accounts/2fa/recovery-codes/new/": EntryPoint("own second factors", "-", "user"),
    "accounts/2fa/passkeys/": EntryPoint("own second factors", "-", "user"),
    "accounts/2fa/passkeys/add/": EntryPoint("own second factors", "-", "user"),
    "accounts/2fa/passkeys/confirm/": EntryPoint("own second factors", "-", "user"),
    "accounts/2fa/passkeys/<int:pk>/remove/": EntryPoint("own passkey", "pk", "user"),
    "accounts/2fa/passkeys/<int:pk>/": EntryPoint("own passkey", "pk", "user"),
    "accounts/passkey/": EntryPoint("user (signing in or up)", "codes", "anyone"),
    ".well-known/security.txt": EntryPoint("none (whom to tell about a hole)", "-", "anyone"),
    "livez": EntryPoint("none", "-", "anyone"),
    "readyz": EntryPoint("none", "-", "anyone"),
    "proxy-check": EntryPoint("the request's own address and scheme", "-", "a holder of SECRET_KEY (`manage.py doctor`)"),
    "sandbox/<slug:name>/": EntryPoint("none (the page of a sandboxed frame)", "name", "anyone"),
    "api/chat": EntryPoint(
        "own conversation, run of the token's organization", "id, messageId, modelId, keys in headers", "member, by token"
    ),
    "api/chat/<str:key>/stream": EntryPoint("own run of the token's organization", "key", "viewer, by token"),
    "v1/models": EntryPoint("models of the token's organization", "-", "viewer, by token"),
    "v1/models/<path:name>": EntryPoint("model of the token's organization", "name", "viewer, by token"),
    "v1/chat/completions": EntryPoint(
        "own conversation, run of the token's organization", "model, conversation in a header", "member, by token"
    ),
    "v1/<path:rest>": EntryPoint("none (404)", "-", "viewer, by token"),
    "o/<slug:slug>/v1/models": EntryPoint("models of the organization", "slug", "viewer, by token"),
    "o/<slug:slug>/v1/models/<path:name>": EntryPoint("model of the organization", "slug, name", "viewer, by token"),
    "o/<slug:slug>/v1/chat/completions": EntryPoint(
        "own conversation, run of the organization", "slug, model, conversation in a header", "member, by token"
    ),
    "o/<slug:slug>/v1/<path:rest>": EntryPoint("none (404)", "-", "viewer, by token"),
    "mcp": EntryPoint(
        "own conversations and runs, own artifacts, prompts of the token's organization",
        "tool, conversation, resource and prompt in the body",
        "viewer, by token; tools: member, by token",
    ),
    "o/<slug:slug>/mcp": EntryPoint(
        "own conversations and runs, own artifacts, prompts of the organization",
        "slug; tool, conversation, resource and prompt in the body",
        "viewer, by token; tools: member, by token",
    ),
    "o/<slug:slug>/": EntryPoint("organization", "slug", "viewer"),
    "o/<slug:slug>/usage/": EntryPoint("organization", "slug (the page fetches the figures)", "viewer"),
    "o/<slug:slug>/templates/": EntryPoint("organization", "slug (the page fetches the list)", "viewer"),
    "o/<slug:slug>/templates/<uuid:template_id>/": EntryPoint("organization", "slug (the page fetches the template)", "viewer"),
    "o/<slug:slug>/archive/": EntryPoint("organization", "slug (the page fetches the list)", "viewer"),
    "o/<slug:slug>/p/<uuid:project_id>/": EntryPoint("organization", "slug (the page fetches the project)", "viewer"),
    "o/<slug:slug>/shared/<uuid:share_id>/": EntryPoint("organization", "slug (the page fetches what is shared)", "viewer"),
    "o/<slug:slug>/c/<uuid:conversation_id>/": EntryPoint("organization", "slug (the page fetches the conversation)", "viewer"),
    "o/<slug:slug>/api/secrets/": EntryPoint("own secrets (write only)", "slug", "member"),
    "o/<slug:slug>/api/secrets/<uuid:secret_id>/": EntryPoint("own secret", "slug, id", "member"),
    "o/<slug:slug>/api/tokens/": EntryPoint("own API tokens (text shown once)", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/tokens/<uuid:token_id>/": EntryPoint("own API token", "slug, id", "viewer, in the browser only"),
    "o/<slug:slug>/api/tokens/<uuid:token_id>/rotate/": EntryPoint(
        "own API token (text shown once)", "slug, id", "viewer, in the browser only"
    ),
    "o/<slug:slug>/api/organizations/": EntryPoint("a new organization of one's own", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/organizations/unread/": EntryPoint("own organizations (slugs)", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/organization/logo/": EntryPoint("organization's logo", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/membership/": EntryPoint("own membership (leave)", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/profile/": EntryPoint("own user", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/profile/picture/": EntryPoint("own picture", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/proof/": EntryPoint("own session's proof of who it is", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/sign-in/": EntryPoint("own factors and sessions", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/sign-in/devices/": EntryPoint("own other sessions (end)", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/sign-in/devices/<str:device_id>/": EntryPoint(
        "one own session (end)", "hash of the session, own sessions only", "viewer, in the browser only"
    ),
    "o/<slug:slug>/api/profile/export/": EntryPoint("own export", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/profile/export/file/": EntryPoint("own export's file", "slug", "viewer, in the browser only"),
    "o/<slug:slug>/api/profile/deletion/": EntryPoint("own user's deletion", "slug", "viewer, in the browser only"),
    "invitation/<str:token>/": EntryPoint(
        "one invitation: organization's name, inviter, role", "token", "anyone with the link; user to join"
    ),
    "s/<str:token>/": EntryPoint(
        "one shared conversation (texts and artifacts of a branch) or artifact",
        "token",
        "anyone with the link; viewer where the link asks for members",
    ),
    "s/<str:token>/frame/": EntryPoint(
        "one document shared with anyone, for pages of the origins that its link names", "token", "anyone with the link"
    ),
    "s/<str:token>/card.png": EntryPoint("title and owner of one thing shared with anyone", "token", "anyone with the link"),
    "s/<str:token>/continue/": EntryPoint(
        "one shared conversation, as the page shows it; makes an own conversation", "token", "viewer of its organization; member to make it"
    ),
    "embed.js": EntryPoint("none (the script for other people's pages)", "-", "anyone"),
    "embed/<str:site>/": EntryPoint("one embed's words and looks", "site", "anyone, framed by the embed's origins alone"),
    "embed/<str:site>/session/": EntryPoint("a bearer; own visitor", "site, host's token, visitor's token", "anyone, from the frame alone"),
    "embed/<str:site>/api/transfer/": EntryPoint("an address at which a member takes over own conversations", "site", "visitor, by bearer"),
    "keep/<str:site>/<str:code>/": EntryPoint(
        "how many conversations a visitor has; makes them the actor's own",
        "site, code",
        "viewer of the embed's organization; member to take over",
    ),
    "embed/<str:site>/sandbox/mermaid/": EntryPoint(
        "no data: the frame that draws diagrams", "site", "anyone, framed by the embed's origins alone"
    ),
    "embed/<str:site>/api/artifacts/<uuid:artifact_id>/versions/<int:number>/": EntryPoint(
        "own version", "site, id, number", "visitor, by bearer"
    ),
    "embed/<str:site>/api/conversations/": EntryPoint(
        "a new own conversation, with messages of the page", "site, messages", "visitor, by bearer"
    ),
    "embed/<str:site>/api/conversations/<str:key>/": EntryPoint("own conversation, messages", "site, key, before", "visitor, by bearer"),
    "embed/<str:site>/api/conversations/<uuid:key>/archive/": EntryPoint("own conversation", "site, key", "visitor, by bearer"),
    "embed/<str:site>/api/conversations/<str:key>/messages/<uuid:message_id>/": EntryPoint(
        "own message (delete)", "site, key, id", "visitor, by bearer"
    ),
    "embed/<str:site>/api/conversations/<str:key>/messages/<uuid:message_id>/feedback/": EntryPoint(
        "own feedback on an answer", "site, key, id", "visitor, by bearer"
    ),
    "embed/<str:site>/api/conversations/<str:key>/stop/": EntryPoint("own run", "site, key", "visitor, by bearer"),
    "embed/<str:site>/api/conversations/<str:key>/input/": EntryPoint("own run", "site, key, id", "visitor, by bearer"),
    "embed/<str:site>/api/conversations/<str:key>/tool-outputs/": EntryPoint("own run", "site, key, call id", "visitor, by bearer"),
    "embed/<str:site>/api/conversations/<str:key>/approvals/<uuid:approval_id>/": EntryPoint(
        "own run, approval (refuse)", "site, key, approval id", "visitor, by bearer"
    ),
    "accounts/with/<slug:provider>/": EntryPoint("none (leads to a provider)", "provider", "anyone"),
    "accounts/with/<slug:provider>/connect/": EntryPoint("none (leads to a provider)", "provider", "user"),
    "accounts/with/<slug:provider>/remove/": EntryPoint("own link to a provider's account", "provider", "user"),
    "accounts/with/google/callback/": EntryPoint("user (signing in or up), own link", "state, code", "anyone"),
    "accounts/with/microsoft/callback/": EntryPoint("user (signing in or up), own link", "state, code", "anyone"),
    "accounts/with/github/callback/": EntryPoint("user (signing in or up), own link", "state, code", "anyone"),
    "sso/<uuid:organization_id>/": EntryPoint("organization's name", "organization", "anyone"),
    "sso/<uuid:organization_id>/callback/": EntryPoint("user (signing in or up)", "organization, state, code", "anyone"),
    "sso/<uuid:organization_id>/test/": EntryPoint("own organization's sign-on", "organization", "owner, in the browser only"),
    "sso/<uuid:organization_id>/logout/": EntryPoint("sessions that the provider began", "organization, signed token", "the provider"),
    "o/<slug:slug>/api/agents/<uuid:agent_id>/prompt/": EntryPoint("an agent of the draft (its composed prompt)", "slug, id", "admin"),
    "o/<slug:slug>/api/agents/<uuid:agent_id>/trial": EntryPoint(
        "own trial, run of a release that was prepared for a trial", "slug, id, release, conversation, model", "admin, in the browser only"
    ),
    "o/<slug:slug>/api/tool-sources/<uuid:source_id>/try/": EntryPoint(
        "a source of tools (its secret is used, not shown)", "slug, id", "admin"
    ),
    "o/<slug:slug>/api/keys/": EntryPoint("own provider keys (write only)", "slug, provider", "member"),
    "o/<slug:slug>/api/keys/<slug:provider>/": EntryPoint("own provider key", "slug, provider", "member"),
    "o/<slug:slug>/api/keys/<slug:provider>/check/": EntryPoint("own provider key", "slug, provider", "member"),
    "o/<slug:slug>/api/chat": EntryPoint("own conversation, run", "slug, id, messageId, modelId, keys in headers", "member"),
    "o/<slug:slug>/api/chat/<str:key>/stream": EntryPoint("own run", "slug, key", "viewer"),
    "o/<slug:slug>/api/files/<uuid:file_id>/content/": EntryPoint(
        "own file's bytes", "slug, id, signed token of member and file", "viewer"
    ),
    "o/<slug:slug>/api/schema/": EntryPoint("none (the API's schema)", "slug", "viewer"),
    "o/<slug:slug>/api/docs/": EntryPoint("none (the API's page)", "slug", "viewer, in the browser only"),
    "api/schema/": EntryPoint("none (the API's schema)", "-", "anyone"),
    "api/docs/": EntryPoint("none (the API's page)", "-", "anyone"),
}
# REST calls: for a browser's session or an API token below an organization, and for an API token alone at the root.
REST = {
    "api/me/": EntryPoint("own preferences", "slug", "viewer"),
    "api/conversations/": EntryPoint("own conversations", "slug, cursor", "viewer"),
    "api/conversations/<str:key>/": EntryPoint("own conversation, messages, artifacts", "slug, key, before", "viewer; member to write"),
    "api/conversations/<str:key>/seen/": EntryPoint("own conversation's mark", "slug, key", "viewer"),
    "api/conversations/<str:key>/restore/": EntryPoint("own deleted conversation, artifacts, files", "slug, key", "member"),
    "api/conversations/<str:key>/stop/": EntryPoint("own run", "slug, key", "member"),
    "api/conversations/<str:key>/input/": EntryPoint("own run", "slug, key, id", "member"),
    "api/conversations/<str:key>/tool-outputs/": EntryPoint("own run", "slug, key, call id", "member"),
    "api/conversations/<str:key>/approvals/<uuid:approval_id>/": EntryPoint("own run, approval", "slug, key, approval id", "member"),
    "api/files/": EntryPoint("own files", "slug", "member"),
    "api/files/<uuid:file_id>/": EntryPoint("own file", "slug, id", "viewer; member to write"),
    "api/files/<uuid:file_id>/text/": EntryPoint("text of the own file", "slug, id", "viewer"),
    "api/artifacts/<uuid:artifact_id>/": EntryPoint(
        "artifact, own or shared to edit; suggestions, image's file", "slug, id", "viewer; member to write"
    ),
    "api/artifacts/<uuid:artifact_id>/diff/": EntryPoint("versions, own or shared to edit", "slug, id, numbers", "viewer"),
    "api/artifacts/<uuid:artifact_id>/export/": EntryPoint("version, own or shared to edit; image's file", "slug, id, version", "viewer"),
    "api/artifacts/<uuid:artifact_id>/patch/": EntryPoint("own version; models of the organization", "slug, id, base", "member"),
    "api/artifacts/<uuid:artifact_id>/suggestions/decide/": EntryPoint(
        "artifact, own or shared to edit; suggestions", "slug, id, ids", "member"
    ),
    "api/artifacts/<uuid:artifact_id>/versions/<int:number>/": EntryPoint("version, own or shared to edit", "slug, id, number", "viewer"),
    "api/artifacts/<uuid:artifact_id>/revert/": EntryPoint("artifact, own or shared to edit; version", "slug, id, number", "member"),
    "api/conversations/<str:key>/artifacts/": EntryPoint("own conversation, file", "slug, key, fileId", "member"),
    "api/conversations/<str:key>/export/": EntryPoint("own conversation, messages, artifacts", "slug, key", "viewer"),
    "api/conversations/<str:key>/export/diagrams/": EntryPoint("own conversation, messages, artifacts", "slug, key", "viewer"),
    "api/conversations/<str:key>/branch/": EntryPoint("own conversation, message", "slug, key, messageId", "member"),
    "api/conversations/<str:key>/messages/<uuid:message_id>/": EntryPoint(
        "own message (its place, delete)", "slug, key, id", "viewer; member to delete"
    ),
    "api/conversations/<str:key>/messages/<uuid:message_id>/feedback/": EntryPoint("own feedback on an answer", "slug, key, id", "member"),
    "api/conversations/<str:key>/readers/": EntryPoint("who may read the own conversation", "slug, key", "viewer; member to decide"),
    "api/conversations/<str:key>/messages/": EntryPoint("own messages", "slug, key, cursor", "viewer"),
    "api/artifacts/": EntryPoint("own artifacts", "slug, conversation, cursor", "viewer"),
    "api/artifacts/<uuid:artifact_id>/versions/": EntryPoint(
        "versions, own or shared to edit; file", "slug, id, cursor, base, fileId", "viewer; member to write"
    ),
    "api/prompts/": EntryPoint("the organization's prompts, own prompts", "slug", "viewer; member to write"),
    "api/prompts/<uuid:prompt_id>/": EntryPoint("own prompts", "slug, id", "member"),
    "api/templates/": EntryPoint(
        "the organization's and own templates; for admins those in review", "slug, cursor", "viewer; member to write"
    ),
    "api/templates/<uuid:template_id>/": EntryPoint(
        "the organization's and own templates; own versions", "slug, id, version", "viewer; member to write"
    ),
    "api/templates/<uuid:template_id>/submit/": EntryPoint("own template", "slug, id", "member; admin to publish at once"),
    "api/templates/<uuid:template_id>/withdraw/": EntryPoint("own template", "slug, id", "member"),
    "api/templates/<uuid:template_id>/fill/": EntryPoint("the organization's and own templates", "slug, id", "viewer"),
    "api/templates/<uuid:template_id>/use/": EntryPoint(
        "the organization's and own templates; own conversation", "slug, id, conversation", "member"
    ),
    "api/usage/summary/": EntryPoint("own usage", "slug", "viewer"),
    "api/retention/": EntryPoint("the organization's rule on retention", "slug", "viewer"),
    "api/conversations/<str:key>/usage/": EntryPoint("own conversation and its usage", "slug, key, runs", "viewer"),
    "api/conversation-batches/": EntryPoint("own conversations, artifacts, files; own project", "slug, ids, projectId", "member"),
    "api/projects/": EntryPoint("own projects", "slug", "viewer; member to write"),
    "api/projects/<uuid:project_id>/": EntryPoint("own project; its conversations to delete", "slug, id", "viewer; member to write"),
    "api/projects/<uuid:project_id>/artifacts/": EntryPoint("own artifacts of own project", "slug, id", "viewer"),
    "api/projects/<uuid:project_id>/files/": EntryPoint("own project's files", "slug, id", "viewer; member to write"),
    "api/projects/<uuid:project_id>/files/<uuid:file_id>/": EntryPoint("own project's file", "slug, ids", "member"),
    "api/projects/<uuid:project_id>/files/<uuid:file_id>/readings/": EntryPoint("own project's file", "slug, ids", "member"),
    "api/projects/<uuid:project_id>/files/<uuid:file_id>/attachments/": EntryPoint(
        "own files (from an own project)", "slug, ids", "member"
    ),
    "api/artifacts/<uuid:artifact_id>/comments/": EntryPoint(
        "own artifact, or one that a link lets the actor edit; comments of its links", "slug, id", "viewer"
    ),
    "api/shares/": EntryPoint(
        "own shared links; own conversation or artifact to share", "slug, target, targetId", "viewer; member to write"
    ),
    "api/shares/readers/": EntryPoint("names of the organization's members and groups", "slug, q", "member"),
    "api/shares/preview/": EntryPoint("own conversation or artifact, as a link would show it", "slug, target", "viewer"),
    "api/shares/<uuid:share_id>/": EntryPoint(
        "own shared link; members and groups", "slug, id, readers", "viewer to stop; member to change"
    ),
    "api/shares/<uuid:share_id>/opened/": EntryPoint("own shared link, or one that names the actor; what it shows", "slug, id", "viewer"),
    "api/shares/<uuid:share_id>/comments/": EntryPoint(
        "the same; comments on a message or version that it shows", "slug, id, messageId, artifactId", "viewer; member to write"
    ),
    "api/shares/<uuid:share_id>/comments/<uuid:comment_id>/": EntryPoint(
        "the same; a comment of it", "slug, ids", "viewer; member to write"
    ),
    "api/search/agents/": EntryPoint("agents of the organization (names)", "slug", "viewer"),
    "api/search/": EntryPoint("own conversations and messages", "slug, cursor", "viewer"),
    "api/limits/": EntryPoint("own limits on messages, and what is left", "slug", "viewer"),
    "api/usage/": EntryPoint("own usage; the organization's", "slug, cursor", "viewer; admin for the organization's"),
    "api/models/": EntryPoint("models, prices", "slug", "viewer"),
    "api/github/repositories/": EntryPoint("none (GitHub, by the actor's own token)", "slug, query", "member"),
    "api/github/folder/": EntryPoint("none (GitHub, by the actor's own token)", "slug, repository, path", "member"),
    "api/github/files/": EntryPoint("own files (from GitHub, by the actor's own token)", "slug, repository, path", "member"),
    "api/agents/": EntryPoint("agents (names and descriptions)", "slug", "viewer"),
    "api/assistants/": EntryPoint("assistants that the actor may choose", "slug", "viewer"),
    "api/assistants/<slug:key>/picture/": EntryPoint("picture of an assistant that the actor may choose", "slug, key", "viewer"),
}
ROUTES |= {f"{mount}{path}": entry_point for path, entry_point in REST.items() for mount in ("o/<slug:slug>/", "")}

SOCKETS = {
    "o/<slug:slug>/ws/chat/": EntryPoint("own conversations, runs", "slug, frames", "viewer; member to send"),
    "embed/<str:site>/ws/": EntryPoint("own conversations, runs", "site, bearer, frames", "visitor, by bearer"),
    "o/<slug:slug>/ws/notify/": EntryPoint("own conversations", "slug", "viewer"),
    "o/<slug:slug>/ws/live/<uuid:artifact_id>/": EntryPoint("artifacts that the actor may write", "slug, artifact, frames", "member"),
}

FRAMES = {
    "authenticate": EntryPoint("own visitor", "bearer", "visitor, by bearer"),
    "send": EntryPoint("own conversation, run", "id, messageId, modelId, assistant", "member"),
    "resume": EntryPoint("own run", "id", "viewer"),
    "abort": EntryPoint("the socket's own request", "requestId", "viewer"),
    "join": EntryPoint("the socket's own live document", "document", "member"),
    "update": EntryPoint("the socket's own live document", "document", "member"),
    "cursor": EntryPoint("the socket's own live document", "-", "member"),
    "save": EntryPoint("the socket's own live document, a version of it", "-", "member"),
}

TASKS = {
    "tenants.tasks.idempotent_answers_expire": EntryPoint("kept answers of all organizations (deletes old ones)", "-", "system"),
    "accounts.tasks.removed_members_purge": EntryPoint("what removed members own in all organizations", "-", "each one's tenant"),
    "accounts.tasks.domains_check": EntryPoint("proven domains of all organizations", "-", "each one's tenant"),
    "accounts.tasks.budgets_alert": EntryPoint(
        "budgets of all organizations of which owners are to be told", "-", "system; then each one's tenant"
    ),
    "accounts.tasks.refusals_warn": EntryPoint("limits of all organizations that refuse often", "-", "system; then each one's tenant"),
    "limits.tasks.plans_apply": EntryPoint(
        "plans that were changed, and the organizations that have them", "-", "system; then each one's tenant"
    ),
    "accounts.tasks.secrets_remind": EntryPoint(
        "sign-ons whose client secret ends soon, their owners' addresses", "-", "system; then each one's tenant"
    ),
    "accounts.tasks.mail_server_check": EntryPoint("none (asks the mail server)", "-", "system"),
    "artifacts.tasks.live_versions_save": EntryPoint("unsaved live documents of all organizations", "-", "system; then each one's tenant"),
    "accounts.tasks.mail_send": EntryPoint("a mail that waits", "mail id", "system"),
    "accounts.tasks.mails_send": EntryPoint("mails that wait", "-", "system"),
    "accounts.tasks.mails_forget": EntryPoint("old mails (deletes them)", "-", "system"),
    "accounts.tasks.deletions_due": EntryPoint("users and organizations that are to be deleted", "-", "system; then each one's tenant"),
    "accounts.tasks.sessions_end_by_policy": EntryPoint("sessions, by their users' organizations' policies", "-", "system"),
    "accounts.tasks.personal_export_make": EntryPoint("an export of a member's data", "organization id, export id", "the named tenant"),
    "accounts.tasks.personal_exports_forget": EntryPoint("old exports of members' data", "-", "system; then each one's tenant"),
    "tenants.tasks.partitions_keep": EntryPoint("partitions of coming and past months", "-", "system"),
    "tenants.tasks.sessions_clear": EntryPoint("expired sessions", "-", "system"),
    "admin_config.tasks.model_catalogue_update": EntryPoint("organizations (ids only)", "-", "system"),
    "admin_config.tasks.platform_defaults_roll_out": EntryPoint(
        "organizations without the newest defaults of the platform (ids only)", "-", "system"
    ),
    "admin_config.tasks.organization_defaults_roll_out": EntryPoint(
        "the draft with the platform's newest defaults", "organization id", "the named tenant"
    ),
    "admin_config.tasks.organization_models_update": EntryPoint("models", "organization id", "the named tenant"),
    "security.tasks.audit_counts_write": EntryPoint("counted audit events of all organizations", "-", "system; then each one's tenant"),
    "security.tasks.audit_export_make": EntryPoint("an export of the audit log", "organization id, export id", "the named tenant"),
    "security.tasks.audit_webhooks_deliver": EntryPoint("webhooks of all organizations (ids only)", "-", "system"),
    "security.tasks.audit_webhook_deliver": EntryPoint(
        "audit events that wait for a webhook", "organization id, webhook id", "the named tenant"
    ),
    "security.tasks.audit_retain": EntryPoint("old audit events and exports of all organizations (deletes them)", "-", "system"),
    "security.tasks.audit_exports_overdue": EntryPoint("exports of all organizations that wait", "-", "system; then each one's tenant"),
    "security.tasks.session_keys_expire": EntryPoint("keys of ended sessions of all organizations", "-", "system; then each one's tenant"),
    "files.tasks.file_text_read": EntryPoint("file", "organization id, file id", "the named tenant"),
    "files.tasks.knowledge_text_read": EntryPoint("knowledge file", "organization id, file id", "the named tenant"),
    "files.tasks.files_forget": EntryPoint("old files of all organizations that no message has", "-", "each one's tenant"),
    "files.tasks.knowledge_texts_overdue": EntryPoint("old pending knowledge files of all organizations", "-", "each one's tenant"),
    "evaluations.tasks.experiment_work": EntryPoint("experiment, its runs", "organization id, experiment id", "the named tenant"),
    "evaluations.tasks.evaluations_continue": EntryPoint(
        "experiments and replays of all organizations that wait (ids only)", "-", "system"
    ),
    "evaluations.tasks.replay_work": EntryPoint("replay, its runs", "organization id, replay id", "the named tenant"),
    "evaluations.tasks.schedules_publish": EntryPoint(
        "releases of all organizations whose time has come; mails to admins", "-", "system; then each one's tenant"
    ),
    "evaluations.tasks.canaries_decide": EntryPoint(
        "canaries of all organizations, which their rules end; mails to admins", "-", "system; then each one's tenant"
    ),
    "retention.tasks.retention_apply": EntryPoint("what is old in all organizations (deletes)", "-", "system; then each one's tenant"),
    "embed.tasks.visitors_forget": EntryPoint("visitors of all organizations who stayed away (deletes)", "-", "system"),
    "chat.tasks.deleted_purge": EntryPoint("what members of all organizations deleted long ago (deletes)", "-", "system"),
    "chat.tasks.texts_index": EntryPoint("changed conversations of all organizations", "-", "system; then each one's tenant"),
    "chat.tasks.holds_settle": EntryPoint("holds of all organizations whose process was lost", "-", "system; then each one's tenant"),
    "usage.tasks.storage_count": EntryPoint("sizes of all organizations' files", "-", "system; then each one's tenant"),
    "usage.tasks.usage_reprice": EntryPoint("calls without a price", "organization id, repricing id", "the named tenant"),
    "usage.tasks.usage_sum": EntryPoint("sums over calls of all organizations", "-", "system; then each one's tenant"),
    "chat.tasks.figures_sum": EntryPoint("sums over runs and calls of all organizations", "-", "system; then each one's tenant"),
    "chat.tasks.approvals_expire": EntryPoint("overdue approvals of all organizations", "-", "system; then each one's tenant"),
    "chat.tasks.run_take_over": EntryPoint("run", "run id", "system; then the run's tenant"),
    "chat.tasks.conversation_title_generate": EntryPoint("conversation", "organization id, conversation id", "the named tenant"),
}

TOOLS = {
    "document_agent": EntryPoint("artifacts of the run's conversation", "artifact_id", "the run's member"),
    "python_agent": EntryPoint("artifacts of the run's conversation", "artifact_id", "the run's member"),
    "mermaid_agent": EntryPoint("artifacts of the run's conversation", "artifact_id", "the run's member"),
    "git_mcp_agent": EntryPoint("repositories of the member's own token", "task", "the run's member"),
    "provider_tools_agent": EntryPoint("public web pages (no organization's rows)", "task", "the run's member"),
    "message": EntryPoint("the run's own answer", "-", "the run's member"),
}

# What each kind of tool source lets a model reach.
TOOL_SOURCES = {
    "plan": EntryPoint("the run's own answer", "-", "the run's member"),
    "page_state": EntryPoint("keys of the state that the run's page handed over", "keys, values", "the run's member"),
    "page_tool": EntryPoint("functions that the run's page registered", "arguments of the admin's schema", "the run's member"),
    "fetch_url": EntryPoint("public web pages (no organization's rows)", "url", "the run's member"),
    "search": EntryPoint("a search engine, with the organization's key", "query", "the run's member"),
    "files": EntryPoint("files of the source's folder", "path, glob", "the run's member"),
    "http": EntryPoint("an interface that an admin entered", "arguments of the admin's templates", "the run's member"),
    "mcp": EntryPoint("an MCP server that an admin entered", "arguments of its reviewed tools", "the run's member"),
    "github": EntryPoint("repositories of the member's own token", "arguments of its tools", "the run's member"),
    "templates": EntryPoint("templates that the run's member may use; artifacts of the run's conversation", "id", "the run's member"),
}

ADMIN_CLASSES = {
    "organization": {
        "AgentConfig": EntryPoint(
            "agents, operations, prompt sections, step rules, plugins, webhook secrets (write only)", "pk, model", "admin"
        ),
        "AppSettings": EntryPoint("settings", "pk", "admin"),
        "ModelConfig": EntryPoint("models, prices", "pk", "admin"),
        "ProviderEndpoint": EntryPoint(
            "endpoints, keys (write only), breakers (reset), tests of their connection, models that they list", "pk", "admin"
        ),
        "RegisteredSecret": EntryPoint("the organization's secrets (write only)", "pk", "admin"),
        "KnowledgeFile": EntryPoint("files of the organization's folders (upload, read, delete)", "pk, source", "admin"),
        "ToolSource": EntryPoint(
            "sources of tools, their secrets (write only), import of OpenAPI documents", "pk, kind, a document", "admin"
        ),
        "Release": EntryPoint("releases (read, compare, make live now or later, load into the draft, discard the draft)", "pk", "admin"),
        "Organization": EntryPoint(
            "the organization: looks, policy, transfer, deletion", "receiver", "admin; owner to hand over and delete"
        ),
        "Membership": EntryPoint("members, their roles and groups; removal; service accounts", "pk, group ids, receiver", "admin"),
        "MemberGroup": EntryPoint("groups of members", "pk, membership ids", "admin"),
        "ApiToken": EntryPoint("members' API tokens (list, revoke)", "pk", "admin"),
        "SignOn": EntryPoint(
            "single sign-on, its domains, its secret (write only)", "domain id, group names", "admin; owner to change how people sign in"
        ),
        "Invitation": EntryPoint("invitations (make, send again, revoke; links shown once)", "pk, group ids", "admin"),
        "Run": EntryPoint(
            "all runs (structure and figures; texts by policy and consent)", "pk, filters, cursor, call", "auditor; admin to set the policy"
        ),
        "MessageFeedback": EntryPoint(
            "members' feedback on answers (read, mark as seen, assign)", "filters, cursor, pk, membership id", "admin"
        ),
        "Template": EntryPoint("templates that members submitted or published, the organization's own", "pk", "admin"),
        "Budget": EntryPoint("budgets, and what was spent of them", "pk, role, group, membership", "admin"),
        "DataSet": EntryPoint(
            "data sets of cases (read, change, run, import, export)", "pk, agent, source, show", "auditor; admin to change and run"
        ),
        "Case": EntryPoint(
            "cases and what is expected; copies of conversations by policy and consent",
            "pk, data set, run",
            "auditor; admin to change and copy",
        ),
        "Canary": EntryPoint("canaries: how they do, promoting, taking back, share and rules", "pk, group id", "admin"),
        "Requirement": EntryPoint(
            "data sets that are required before publishing; asking them of the draft",
            "pk, data set, agent",
            "auditor; admin to ask; owner to change",
        ),
        "Replay": EntryPoint(
            "replays, replayed runs beside their originals (texts by policy and consent), calls that stopped them, checks of requests",
            "pk, run id, position, call id, result, filters, texts",
            "auditor to read; admin to make and go on",
        ),
        "Experiment": EntryPoint(
            "experiments, answers, grades (read, stop, say whether a judge was right, delete)",
            "pk, with, grade",
            "auditor; admin to change",
        ),
        "UsageSum": EntryPoint(
            "sums of usage (read, export, statement), comparisons with a provider's file, calculations with new prices",
            "filters, file",
            "admin",
        ),
        "CurrencyRate": EntryPoint("rates of the currency that costs are shown in", "pk", "admin"),
        "RetentionRule": EntryPoint("rules of retention, and how much they concern", "-", "admin"),
        "EmbedSite": EntryPoint(
            "embedded chats, their secrets (shown once), keys at an address, previews, figures", "pk, key of an assistant, address", "admin"
        ),
        "RateLimit": EntryPoint(
            "limits on messages, answers, tokens and cost, counting anew, violations, what applies to a member",
            "pk, role, group, membership, assistant, member, filters, cursor",
            "admin",
        ),
        "Share": EntryPoint("members' shared links (list, stop; not their addresses), the policy on sharing", "pk", "admin"),
        "Assistant": EntryPoint("assistants, their pictures and agents", "pk, agent, picture, source, model and group ids", "admin"),
        "AuditEvent": EntryPoint("the organization's audit log (read, export)", "filters, cursor, event, export", "admin"),
    },
    "operator": {
        "Organization": EntryPoint("organizations", "pk", "operator"),
        "Plan": EntryPoint("plans; an organization's plan", "pk, organization id", "operator"),
        "ModelSum": EntryPoint("figures of all organizations (export)", "filters, format", "operator"),
        "PlatformDraft": EntryPoint("the draft of the platform's defaults; publishing it", "kind", "operator"),
        "PlatformRelease": EntryPoint("published defaults of the platform (read, go back)", "number", "operator"),
        "Run": EntryPoint("stuck runs, errors, paused endpoints and queues of all organizations (end, take over)", "run id", "operator"),
        "Membership": EntryPoint("memberships", "pk", "operator"),
        "User": EntryPoint("users", "pk", "operator"),
        "OutgoingMail": EntryPoint("the mail box (read); a test mail to oneself", "pk", "operator"),
        "PlatformEvent": EntryPoint("the operator's audit log (read)", "filters, cursor, event", "operator"),
    },
}
