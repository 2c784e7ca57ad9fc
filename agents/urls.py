"""REST routes of the agents app (docs/rest.md), mounted under /o/<slug>/.

`rest` is also mounted at the root, for API tokens.
"""

from __future__ import annotations

from django.urls import URLPattern, path

from agents.api import assistant_views, catalog_views, github_views, key_views, prompt_preview, tool_views

rest: list[URLPattern] = [
    path("api/models/", catalog_views.ModelsView.as_view(), name="models"),
    path("api/agents/", catalog_views.AgentsView.as_view(), name="agents"),
    path("api/assistants/", assistant_views.AssistantsView.as_view(), name="assistants"),
    path("api/assistants/<slug:key>/picture/", assistant_views.AssistantPictureView.as_view(), name="assistant_picture"),
    path("api/github/repositories/", github_views.RepositoriesView.as_view(), name="github_repositories"),
    path("api/github/folder/", github_views.FolderView.as_view(), name="github_folder"),
    path("api/github/files/", github_views.GithubFilesView.as_view(), name="github_files"),
]
session_only: list[URLPattern] = [
    path("api/keys/", key_views.KeysView.as_view(), name="keys"),
    path("api/keys/<slug:provider>/", key_views.KeyView.as_view(), name="key"),
    path("api/tool-sources/<uuid:source_id>/try/", tool_views.ToolTrialView.as_view(), name="tool_trial"),
    path("api/agents/<uuid:agent_id>/prompt/", prompt_preview.PromptPreviewView.as_view(), name="prompt_preview"),
    path("api/keys/<slug:provider>/check/", key_views.KeyCheckView.as_view(), name="key_check"),
]
urlpatterns = [*rest, *session_only]
