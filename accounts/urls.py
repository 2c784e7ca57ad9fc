"""URLs of accounts: pages at the root, and REST calls under /o/<slug>/, which only browser sessions may use.

Each page of the library is listed here: its own list would open all that it has.
"""

from __future__ import annotations

from allauth.account import views as library
from django.urls import URLPattern, path

from accounts.invitations.views import invitation_page
from accounts.organizations.views import LogoView, MembershipView, OrganizationsView
from accounts.profile.views import AccountDeletionView, PictureView, ProfileView
from accounts.sign_in import views

rest: list[URLPattern] = [
    path("api/organizations/", OrganizationsView.as_view(), name="organizations"),
    path("api/organization/logo/", LogoView.as_view(), name="organization_logo"),
    path("api/membership/", MembershipView.as_view(), name="membership"),
    path("api/profile/", ProfileView.as_view(), name="profile"),
    path("api/profile/picture/", PictureView.as_view(), name="profile_picture"),
    path("api/profile/deletion/", AccountDeletionView.as_view(), name="profile_deletion"),
]
pages: list[URLPattern] = [
    path("login/", views.sign_in, name="login"),
    path("login/", views.sign_in, name="account_login"),
    path("logout/", views.sign_out, name="logout"),
    path("logout/", views.sign_out, name="account_logout"),
    path("accounts/inactive/", library.account_inactive, name="account_inactive"),
    path("accounts/reauthenticate/", library.reauthenticate, name="account_reauthenticate"),
    path("invitation/<str:token>/", invitation_page, name="invitation"),
]
