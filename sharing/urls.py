"""URLs of sharing: the page of a link at the root, and the REST API, under /o/<slug>/ and for tokens at the root."""

from __future__ import annotations

from django.urls import URLPattern, path

from sharing.comments.views import ArtifactCommentsView, CommentsView, CommentView, OpenedShareView
from sharing.pages.frame import framed_page
from sharing.pages.page import card_picture, continue_page, shared_page
from sharing.views import SharePreviewView, ShareReadersView, SharesView, ShareView

rest: list[URLPattern] = [
    path("api/shares/", SharesView.as_view(), name="shares"),
    path("api/shares/preview/", SharePreviewView.as_view(), name="share_preview"),
    path("api/shares/readers/", ShareReadersView.as_view(), name="share_readers"),
    path("api/shares/<uuid:share_id>/opened/", OpenedShareView.as_view(), name="share_opened"),
    path("api/shares/<uuid:share_id>/comments/", CommentsView.as_view(), name="share_comments"),
    path("api/shares/<uuid:share_id>/comments/<uuid:comment_id>/", CommentView.as_view(), name="share_comment"),
    path("api/artifacts/<uuid:artifact_id>/comments/", ArtifactCommentsView.as_view(), name="artifact_comments"),
    path("api/shares/<uuid:share_id>/", ShareView.as_view(), name="share"),
]
pages: list[URLPattern] = [
    path("s/<str:token>/", shared_page, name="shared_page"),
    path("s/<str:token>/card.png", card_picture, name="shared_card"),
    path("s/<str:token>/frame/", framed_page, name="shared_frame"),
    path("s/<str:token>/continue/", continue_page, name="shared_continue"),
]
