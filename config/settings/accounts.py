"""Settings of django-allauth: how people sign up, sign in and prove who they are (docs/accounts.md)."""

from __future__ import annotations

from config.settings.environment import ENV

AUTHENTICATION_BACKENDS = ["accounts.sign_in.backends.SignInBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"

ACCOUNT_ADAPTER = "accounts.sign_in.adapter.AccountAdapter"
ACCOUNT_FORMS = {"login": "accounts.sign_in.forms.SignInForm"}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_DEFAULT_HTTP_PROTOCOL = ENV.public_url.scheme
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
# Attempts to prove who somebody is are counted by accounts.sign_in.throttle, at every door together.
ACCOUNT_RATE_LIMITS = {"login": None, "login_failed": None, "reauthenticate": None}
ALLAUTH_TRUSTED_PROXY_COUNT = ENV.trusted_proxies

MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
