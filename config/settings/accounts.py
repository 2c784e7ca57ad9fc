"""Settings of django-allauth: how people sign up, sign in and prove who they are (docs/accounts.md)."""

from __future__ import annotations

from config.settings.environment import ENV

AUTHENTICATION_BACKENDS = ["accounts.sign_in.backends.SignInBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
SECOND_FACTOR_URL = "account_security"  # where a session goes that lacks the second factor that is asked of it
SIGN_ON_URL = "sign_on_start"  # where a session goes that was not begun by its organization's own sign-on; with the organization's id
PROOF_URL = "account_reauthenticate"  # where somebody proves who they are before a dangerous act
OPERATOR_SECOND_FACTOR = ENV.operator_second_factor == "required"

ACCOUNT_ADAPTER = "accounts.sign_in.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "accounts.sign_in.forms.SignInForm",
    "signup": "accounts.sign_in.forms.SignUpForm",
    "request_login_code": "accounts.sign_in.forms.CodeRequestForm",
    "change_password": "accounts.sign_in.forms.PasswordChangeForm",
    "set_password": "accounts.sign_in.forms.PasswordSetForm",
    "reset_password_from_key": "accounts.sign_in.forms.PasswordResetForm",
}
ACCOUNT_SIGNUP_FORM_CLASS = "accounts.sign_in.profile_fields.ProfileFields"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
ACCOUNT_DEFAULT_HTTP_PROTOCOL = ENV.public_url.scheme
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 15 * 60
ACCOUNT_LOGIN_BY_CODE_SUPPORTS_RESEND = True
ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED = True
ACCOUNT_PASSWORD_RESET_BY_CODE_TIMEOUT = 15 * 60
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True  # after the second factor, where there is one
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
# Attempts to prove who somebody is are counted by accounts.sign_in.throttle, for all ways together; these limit how often mails go out.
ACCOUNT_RATE_LIMITS = {"login": None, "login_failed": None, "reauthenticate": None, "confirm_email": "5/m/key,20/m/ip"}
ALLAUTH_TRUSTED_PROXY_COUNT = 0  # uvicorn has put the client's address in the place of a trusted proxy's (FORWARDED_ALLOW_IPS)

MFA_ADAPTER = "accounts.sign_in.factors.FactorAdapter"
MFA_FORMS = {
    "authenticate": "accounts.sign_in.factors.SecondStepForm",
    "reauthenticate": "accounts.sign_in.factors.ConfirmForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
# Of questions for a passkey and their answers. The sign-in page asks at each visit, and an office may share one address.
MFA_RATE_LIMITS = {"webauthn_login": "60/m/ip"}
MFA_TOTP_ISSUER = "Parley"
MFA_TOTP_TOLERANCE = 1  # periods of 30 seconds, for clocks that are a little off
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = ENV.is_local  # http://localhost

SOCIALACCOUNT_ADAPTER = "accounts.social.adapter.SocialAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True  # of accounts that SocialAdapter.authenticate_by_email finds
SOCIALACCOUNT_REAUTHENTICATION_REQUIRED = False  # the page that starts it asks for the proof (accounts.social.views)
SOCIAL_LOGINS = ENV.social_logins

SIGN_UP = ENV.sign_up
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator", "OPTIONS": {"user_attributes": ("email", "name")}},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "accounts.sign_in.breached_passwords.BreachedPasswordValidator", "OPTIONS": {"path": str(ENV.breached_passwords or "")}},
]
