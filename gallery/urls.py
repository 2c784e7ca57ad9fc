"""URLs of the REST calls (docs/protocol.md), mounted under /o/<slug>/ and, for API tokens, at the root."""

from __future__ import annotations

from django.urls import URLPattern, path

from gallery import prompt_views, views

rest: list[URLPattern] = [
    path("api/templates/", views.TemplatesView.as_view(), name="templates"),
    path("api/templates/<uuid:template_id>/", views.TemplateView.as_view(), name="template"),
    path("api/templates/<uuid:template_id>/submit/", views.SubmitView.as_view(), name="template_submit"),
    path("api/templates/<uuid:template_id>/withdraw/", views.WithdrawView.as_view(), name="template_withdraw"),
    path("api/templates/<uuid:template_id>/fill/", views.FillView.as_view(), name="template_fill"),
    path("api/prompts/", prompt_views.SavedPromptsView.as_view(), name="prompts"),
    path("api/prompts/<uuid:prompt_id>/", prompt_views.SavedPromptView.as_view(), name="prompt"),
]
