"""URLs of accounts: pages at the root, and REST calls under /o/<slug>/, which only browser sessions may use.

Each page of the library is listed here: its own list would open all that it has.
"""

from __future__ import annotations

from allauth.account import views as library
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as passkeys
from allauth.socialaccount.providers.github import views as github
from allauth.socialaccount.providers.google import views as google
from allauth.socialaccount.providers.microsoft import views as microsoft
from django.urls import URLPattern, path

from accounts.invitations.views import invitation_page
from accounts.organizations.own_page import own_organization
from accounts.organizations.views import LogoView, MembershipView, OrganizationsView
from accounts.profile.language_form import language_choose
from accounts.profile.personal_export_views import DataExportFileView, DataExportView
from accounts.profile.sign_in_views import DevicesView, DeviceView, SignInView
from accounts.profile.views import AccountDeletionView, PictureView, ProfileView
from accounts.sign_in import code_views, factor_removal, passkeys as own_passkeys, security_views, views
from accounts.sign_in.proof_views import ProofView
from accounts.sign_in.views import all_or_nothing, needs_redis
from accounts.social import views as social
from accounts.sso import logout as sso_logout, views as sso

rest: list[URLPattern] = [
    path("api/organizations/", OrganizationsView.as_view(), name="organizations"),
    path("api/organization/logo/", LogoView.as_view(), name="organization_logo"),
    path("api/membership/", MembershipView.as_view(), name="membership"),
    path("api/proof/", ProofView.as_view(), name="proof"),
    path("api/sign-in/", SignInView.as_view(), name="sign_in_overview"),
    path("api/sign-in/devices/", DevicesView.as_view(), name="devices"),
    path("api/sign-in/devices/<str:device_id>/", DeviceView.as_view(), name="device"),
    path("api/profile/", ProfileView.as_view(), name="profile"),
    path("api/profile/picture/", PictureView.as_view(), name="profile_picture"),
    path("api/profile/export/", DataExportView.as_view(), name="data_export"),
    path("api/profile/export/file/", DataExportFileView.as_view(), name="data_export_file"),
    path("api/profile/deletion/", AccountDeletionView.as_view(), name="profile_deletion"),
]
pages: list[URLPattern] = [
    path("login/", views.sign_in, name="login"),
    path("login/", views.sign_in, name="account_login"),
    path("logout/", sso_logout.sign_out, name="logout"),
    path("logout/", sso_logout.sign_out, name="account_logout"),
    path("sso/<uuid:organization_id>/", needs_redis(sso.sign_on_start), name="sign_on_start"),
    path("sso/<uuid:organization_id>/callback/", needs_redis(sso.sign_on_callback), name="sign_on_callback"),
    path("sso/<uuid:organization_id>/test/", needs_redis(sso.sign_on_test), name="sign_on_test"),
    path("sso/<uuid:organization_id>/logout/", needs_redis(sso_logout.sign_on_logout), name="sign_on_logout"),
    path("accounts/with/<slug:provider>/", needs_redis(social.social_start), name="social_start"),
    path("accounts/with/<slug:provider>/connect/", needs_redis(social.social_connect), name="social_connect"),
    path("accounts/with/<slug:provider>/remove/", social.social_remove, name="social_remove"),
    path("accounts/with/google/callback/", needs_redis(google.oauth2_callback), name="google_callback"),
    path("accounts/with/microsoft/callback/", needs_redis(microsoft.oauth2_callback), name="microsoft_callback"),
    path("accounts/with/github/callback/", needs_redis(github.oauth2_callback), name="github_callback"),
    path("accounts/inactive/", library.account_inactive, name="account_inactive"),
    path("accounts/sign-up/", needs_redis(library.signup), name="account_signup"),
    path("accounts/verify/", needs_redis(library.email_verification_sent), name="account_email_verification_sent"),
    path("accounts/code/", needs_redis(code_views.request_code), name="account_request_login_code"),
    path("accounts/code/confirm/", code_views.confirm_sign_in_code, name="account_confirm_login_code"),
    path("accounts/password/reset/", needs_redis(library.password_reset), name="account_reset_password"),
    path("accounts/password/reset/code/", code_views.confirm_reset_code, name="account_confirm_password_reset_code"),
    path("accounts/password/reset/new/", needs_redis(library.complete_password_reset), name="account_complete_password_reset"),
    path("accounts/password/reset/done/", library.password_reset_from_key_done, name="account_password_reset_completed"),
    path("accounts/reauthenticate/", security_views.proof, name="account_reauthenticate"),
    path("invitation/<str:token>/", invitation_page, name="invitation"),
    path("organizations/new/", own_organization, name="own_organization"),
    # One's own account
    path("accounts/", security_views.security, name="account_security"),
    path("accounts/password/", needs_redis(library.password_change), name="account_change_password"),
    path("accounts/password/set/", needs_redis(library.password_set), name="account_set_password"),
    path("accounts/addresses/", needs_redis(all_or_nothing(security_views.addresses)), name="account_email"),
    path("accounts/language/", language_choose, name="account_language"),
    path("accounts/sessions/", security_views.sessions, name="account_sessions"),
    path("accounts/sign-on/<uuid:organization_id>/forget/", security_views.sign_on_forget, name="sign_on_forget"),
    # Second factors
    path("accounts/2fa/", security_views.security, name="mfa_index"),
    path("accounts/2fa/authenticate/", needs_redis(factors.authenticate), name="mfa_authenticate"),
    path("accounts/2fa/confirm/", needs_redis(factors.reauthenticate), name="mfa_reauthenticate"),
    path("accounts/2fa/app/", needs_redis(all_or_nothing(totp.activate_totp)), name="mfa_activate_totp"),
    path("accounts/2fa/app/remove/", factor_removal.remove_app, name="mfa_deactivate_totp"),
    path("accounts/2fa/recovery-codes/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("accounts/2fa/recovery-codes/new/", all_or_nothing(recovery_codes.generate_recovery_codes), name="mfa_generate_recovery_codes"),
    path("accounts/2fa/passkeys/", security_views.security, name="mfa_list_webauthn"),
    path("accounts/2fa/passkeys/add/", all_or_nothing(passkeys.add_webauthn), name="mfa_add_webauthn"),
    path("accounts/2fa/passkeys/confirm/", passkeys.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("accounts/2fa/passkeys/<int:pk>/remove/", factor_removal.remove_passkey, name="mfa_remove_webauthn"),
    path("accounts/2fa/passkeys/<int:pk>/", passkeys.edit_webauthn, name="mfa_edit_webauthn"),
    path("accounts/passkey/", needs_redis(own_passkeys.passkey_sign_in), name="mfa_login_webauthn"),
]
