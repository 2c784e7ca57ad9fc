"""The doors of accounts. Each is listed here: the library's own list would open all that it has."""

from __future__ import annotations

from allauth.account import views as library
from django.urls import path

from accounts.sign_in import views

urlpatterns = [
    path("login/", views.sign_in, name="login"),
    path("login/", views.sign_in, name="account_login"),
    path("logout/", views.sign_out, name="logout"),
    path("logout/", views.sign_out, name="account_logout"),
    path("accounts/inactive/", library.account_inactive, name="account_inactive"),
    path("accounts/reauthenticate/", library.reauthenticate, name="account_reauthenticate"),
]
