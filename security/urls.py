"""URLs of the REST calls (docs/rest.md), mounted under /o/<slug>/. Only browser sessions may use them."""

from __future__ import annotations

from django.urls import URLPattern, path

from security import secret_views, token_views

rest: list[URLPattern] = [
    path("api/secrets/", secret_views.SecretsView.as_view(), name="secrets"),
    path("api/secrets/<uuid:secret_id>/", secret_views.SecretView.as_view(), name="secret"),
    path("api/tokens/", token_views.TokensView.as_view(), name="api_tokens"),
    path("api/tokens/<uuid:token_id>/", token_views.TokenView.as_view(), name="api_token"),
    path("api/tokens/<uuid:token_id>/rotate/", token_views.TokenRotationView.as_view(), name="api_token_rotate"),
]
urlpatterns = rest
