"""URLs of the OpenAI-compatible API, below /v1/ and /o/<slug>/v1/."""

from __future__ import annotations

from django.urls import URLPattern, path

from chat.openai_api import views
from chat.openai_api.errors import unknown_url

urlpatterns: list[URLPattern] = [
    path("models", views.models),
    path("models/<path:name>", views.model),
    path("chat/completions", views.chat_completions),
    path("<path:rest>", unknown_url),
]
