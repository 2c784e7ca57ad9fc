"""URLs of embedded chats, at the root: they belong to no member's page. Below embed/ no cookie counts; keep/ is for members."""

from __future__ import annotations

from django.urls import URLPattern, path

from embed.api import views
from embed.api.page import frame, sandbox, script
from embed.api.session_view import session_view
from embed.transfer.page import keep_page

app_name = "embed"

CONVERSATION = "embed/<str:site>/api/conversations/<str:key>/"

urlpatterns: list[URLPattern] = [
    path("embed.js", script, name="script"),
    path("embed/<str:site>/", frame, name="frame"),
    path("embed/<str:site>/sandbox/mermaid/", sandbox, name="sandbox"),
    path("embed/<str:site>/session/", session_view, name="session"),
    path("embed/<str:site>/api/transfer/", views.VisitorTransferView.as_view(), name="transfer"),
    path("keep/<str:site>/<str:code>/", keep_page, name="keep"),
    path("embed/<str:site>/api/conversations/", views.VisitorConversationsView.as_view(), name="conversations"),
    path(CONVERSATION, views.VisitorConversationView.as_view(), name="conversation"),
    path("embed/<str:site>/api/conversations/<uuid:key>/archive/", views.VisitorArchiveView.as_view(), name="archive"),
    path(f"{CONVERSATION}messages/<uuid:message_id>/", views.VisitorMessageView.as_view(), name="message"),
    path(f"{CONVERSATION}messages/<uuid:message_id>/feedback/", views.VisitorFeedbackView.as_view(), name="feedback"),
    path("embed/<str:site>/api/artifacts/<uuid:artifact_id>/versions/<int:number>/", views.VisitorVersionView.as_view(), name="version"),
    path(f"{CONVERSATION}stop/", views.VisitorStopView.as_view(), name="stop"),
    path(f"{CONVERSATION}input/", views.VisitorInputView.as_view(), name="input"),
    path(f"{CONVERSATION}tool-outputs/", views.VisitorToolOutputView.as_view(), name="tool_output"),
    path(f"{CONVERSATION}approvals/<uuid:approval_id>/", views.VisitorApprovalView.as_view(), name="approval"),
]
