"""URLs under /o/<slug>/ (docs/protocol.md). `rest` is also mounted at the root, for API tokens (docs/rest.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from chat.api import page, sse, trial_views
from chat.api.rest import (
    artifact_views,
    conversation_views,
    message_views,
    organization_views,
    patch_views,
    run_views,
    search_views,
    usage_views,
)
from chat.exports.views import ConversationExportView, ExportDiagramsView
from chat.from_templates.views import UseTemplateView
from chat.projects import views as project_views
from limits.views import LimitsView

app_name = "chat"

rest: list[URLPattern] = [
    path("api/conversations/", conversation_views.ConversationsView.as_view(), name="conversations"),
    path("api/conversation-batches/", conversation_views.BatchesView.as_view(), name="conversation_batches"),
    path("api/conversations/<str:key>/", conversation_views.ConversationView.as_view(), name="conversation"),
    path("api/conversations/<str:key>/artifacts/", artifact_views.ConversationArtifactsView.as_view(), name="conversation_artifacts"),
    path("api/conversations/<str:key>/export/", ConversationExportView.as_view(), name="conversation_export"),
    path("api/conversations/<str:key>/export/diagrams/", ExportDiagramsView.as_view(), name="export_diagrams"),
    path("api/conversations/<str:key>/messages/", conversation_views.MessagesView.as_view(), name="messages"),
    path("api/conversations/<str:key>/messages/<uuid:message_id>/", message_views.MessageView.as_view(), name="message"),
    path("api/conversations/<str:key>/messages/<uuid:message_id>/feedback/", message_views.FeedbackView.as_view(), name="feedback"),
    path("api/conversations/<str:key>/readers/", conversation_views.ReadersView.as_view(), name="readers"),
    path("api/conversations/<str:key>/branch/", message_views.BranchView.as_view(), name="branch"),
    path("api/conversations/<str:key>/seen/", conversation_views.SeenView.as_view(), name="conversation_seen"),
    path("api/conversations/<str:key>/restore/", conversation_views.RestoreView.as_view(), name="conversation_restore"),
    path("api/conversations/<str:key>/stop/", run_views.StopView.as_view(), name="conversation_stop"),
    path("api/conversations/<str:key>/input/", run_views.InputView.as_view(), name="conversation_input"),
    path("api/conversations/<str:key>/tool-outputs/", run_views.ToolOutputView.as_view(), name="tool_output"),
    path("api/conversations/<str:key>/approvals/<uuid:approval_id>/", run_views.ApprovalView.as_view(), name="approval"),
    path("api/artifacts/<uuid:artifact_id>/patch/", patch_views.PatchView.as_view(), name="artifact_patch"),
    path("api/templates/<uuid:template_id>/use/", UseTemplateView.as_view(), name="template_use"),
    path("api/conversations/<str:key>/usage/", usage_views.ConversationUsageView.as_view(), name="conversation_usage"),
    path("api/projects/", project_views.ProjectsView.as_view(), name="projects"),
    path("api/projects/<uuid:project_id>/", project_views.ProjectView.as_view(), name="project"),
    path("api/projects/<uuid:project_id>/artifacts/", project_views.ProjectArtifactsView.as_view(), name="project_artifacts"),
    path("api/projects/<uuid:project_id>/files/", project_views.ProjectFilesView.as_view(), name="project_files"),
    path("api/projects/<uuid:project_id>/files/<uuid:file_id>/", project_views.ProjectFileView.as_view(), name="project_file"),
    path(
        "api/projects/<uuid:project_id>/files/<uuid:file_id>/readings/",
        project_views.ProjectFileReadingsView.as_view(),
        name="project_file_readings",
    ),
    path(
        "api/projects/<uuid:project_id>/files/<uuid:file_id>/attachments/",
        project_views.ProjectFileAttachmentsView.as_view(),
        name="project_file_attachments",
    ),
    path("api/search/agents/", search_views.SearchAgentsView.as_view(), name="search_agents"),
    path("api/search/", search_views.SearchView.as_view(), name="search"),
    path("api/limits/", LimitsView.as_view(), name="limits"),
]
session_only: list[URLPattern] = [
    path("api/organizations/unread/", organization_views.UnreadOrganizationsView.as_view(), name="unread_organizations"),
]
urlpatterns = [
    path("", page.chat_page, name="page"),
    path("usage/", page.chat_page, name="usage_page"),
    path("archive/", page.chat_page, name="archive_page"),
    path("templates/", page.chat_page, name="templates_page"),
    path("templates/<uuid:template_id>/", page.chat_page, name="template_page"),
    path("p/<uuid:project_id>/", page.chat_page, name="project_page"),
    path("shared/<uuid:share_id>/", page.chat_page, name="shared_with_page"),
    path("c/<uuid:conversation_id>/", page.chat_page, name="conversation_page"),
    *rest,
    *session_only,
    path("api/chat", sse.chat_post, name="chat"),
    path("api/agents/<uuid:agent_id>/trial", trial_views.trial, name="trial"),
    path("api/chat/<str:key>/stream", sse.chat_resume, name="chat_resume"),
]
