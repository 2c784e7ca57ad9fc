"""URLs of accounts: pages at the root, and REST calls under /o/<slug>/."""

from __future__ import annotations

from django.urls import path

from accounts.invitations.views import invitation_page

urlpatterns = [
    path("invitation/<str:token>/", invitation_page, name="invitation"),
]
