"""Pages and calls under /o/<slug>/ (docs/protocol.md)."""

from __future__ import annotations

from django.urls import path

from chat import streams, views

app_name = "chat"

urlpatterns = [
    path("", views.chat_page, name="page"),
    path("c/<uuid:conversation_id>/", views.chat_page, name="conversation_page"),
    path("api/conversations/", views.conversations, name="conversations"),
    path("api/conversations/<str:key>/", views.conversation, name="conversation"),
    path("api/conversations/<str:key>/seen/", views.seen, name="conversation_seen"),
    path("api/conversations/<str:key>/stop/", views.conversation_stop, name="conversation_stop"),
    path("api/conversations/<str:key>/input/", views.conversation_input, name="conversation_input"),
    path("api/conversations/<str:key>/approvals/<uuid:approval_id>/", views.approval, name="approval"),
    path("api/chat", streams.chat_post, name="chat"),
    path("api/chat/<str:key>/stream", streams.chat_resume, name="chat_resume"),
]
