"""Settings of Django itself: apps, middleware, databases, authentication, cookies and sessions."""

from __future__ import annotations

from typing import Any

from config import env
from config.env import LOCAL_HOSTS
from config.env_values import DatabaseUrl
from config.settings.environment import ENV
from tenants.postgres.roles import DatabaseRoles

BASE_DIR = env.BASE_DIR
SECRET_KEY = ENV.secret_key
DEBUG = ENV.debug == "1"
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]  # what people can choose: mails and the chat page
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["config.formats"]

INSTALLED_APPS = [
    *(["daphne"] if DEBUG else []),  # `runserver` with sockets; elsewhere Twisted would take 15 MB of each process
    "unfold",
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    "unfold.contrib.inlines",
    "django.contrib.admin.apps.SimpleAdminConfig",  # the sites' pages are loaded with their URLs: workers and beat have neither
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.google",
    "allauth.socialaccount.providers.microsoft",
    "allauth.socialaccount.providers.github",
    "channels",
    "rest_framework",
    "drf_spectacular_sidecar",
    "config",
    "tenants",
    "security",
    "admin_config",
    "limits",
    "accounts",
    "artifacts",
    "files",
    "gallery",
    "agents",
    "chat",
    "sharing",
    "embed",
    "evaluations",
    "usage",
    "retention",
]

MIDDLEWARE = [
    "config.web.request_log.RequestLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "files.api.origin.FilesOriginMiddleware",
    "security.csp.ContentSecurityPolicyMiddleware",
    "config.web.static_files.StaticFilesMiddleware",
    "config.web.compression.CompressionMiddleware",
    "tenants.localization.language.LanguageMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "tenants.rest.http.CsrfMiddleware",
    "tenants.localization.language.UserMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.organizations.former_slugs.FormerSlugMiddleware",
    "security.audit.refusals.AuditedErrorMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["django.templatetags.i18n", "tenants.templatetags.dates"],
        },
    }
]
FORM_RENDERER = "config.form_renderer.FormRenderer"


def _database(url: DatabaseUrl, pool: dict[str, Any] | None = None) -> dict[str, Any]:
    # Notice within seconds that a server has vanished (libpq parameters: seconds, milliseconds; Unix sockets ignore the second one).
    # The user timeout is for what was sent; probes are for who waits for a reply, which would take the system's two hours.
    reach = {"connect_timeout": 5, "tcp_user_timeout": 10_000, "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
    options: dict[str, Any] = {**reach, **url.options}
    return {
        "ENGINE": "tenants.postgres.backend",
        "NAME": url.name,
        "USER": url.user,
        "PASSWORD": url.password,
        "HOST": url.host,
        "PORT": url.port,
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,  # the pool must not hand out a connection that a server restart has closed
        "DISABLE_SERVER_SIDE_CURSORS": True,  # behind a pooler the next fetch may come to another connection (docs/deploy.md)
        "OPTIONS": {**options, "pool": pool} if pool else options,
    }


# A pool's pauses between attempts double until reconnect_timeout: with its default, a pool comes back half a minute after the database.
# A connection that has served a chat holds about 10 MB of the server's memory. Of those that nobody needed for max_idle seconds, one is
# closed each time.
_POOL = {"min_size": 1, "max_idle": 15, "max_size": ENV.db_pool_size, "timeout": 5, "reconnect_timeout": 2} if ENV.db_pool_size else None
# For leases: one statement a second.
_SMALL_POOL = {"min_size": 0, "max_idle": 15, "max_size": 4, "timeout": 5, "reconnect_timeout": 2} if ENV.db_pool_size else None

DATABASES = {
    "default": _database(ENV.database_url, _POOL),  # role app: sees only the current organization's rows
    "auth": _database(ENV.database_auth_url, _POOL),  # sessions, users, memberships and organizations (tenants.postgres.router)
    "owner": _database(ENV.database_owner_url),  # migrations
    "system": _database(ENV.database_system_url, _SMALL_POOL),  # a fixed list of cross-tenant jobs
}
if ENV.database_replica_url:  # role app, on a standby (tenants.postgres.replica); who waits for it in vain reads the primary
    replica = _database(ENV.database_replica_url, _POOL and {**_POOL, "min_size": 0, "timeout": 2})
    DATABASES["replica"] = {**replica, "OPTIONS": {**replica["OPTIONS"], "connect_timeout": 2}}
DATABASE_ROLES = DatabaseRoles(
    app=ENV.database_url.user,
    auth=ENV.database_auth_url.user,
    owner=ENV.database_owner_url.user,
    system=ENV.database_system_url.user,
)
DATABASE_ROUTERS = ["tenants.postgres.router.IdentityRouter"]

AUTH_USER_MODEL = "tenants.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]

_PUBLIC_HOST = ENV.public_url.hostname or "localhost"
# Names below localhost are this machine, too (RFC 6761, section 6.3): passkeys need a name that is not the files' (docs/accounts.md).
ALLOWED_HOSTS = [*sorted(LOCAL_HOSTS - {"::1"}), ".localhost", "[::1]"] if ENV.is_local else [_PUBLIC_HOST]
CSRF_TRUSTED_ORIGINS = [ENV.public_url.geturl().rstrip("/")]

if ENV.files_url and ENV.files_url.hostname and ENV.files_url.hostname not in ALLOWED_HOSTS:
    ALLOWED_HOSTS += [ENV.files_url.hostname]

SESSION_ENGINE = "tenants.authentication.sessions"
_HOST_PREFIX = "__Host-" if ENV.is_https else ""  # browsers refuse the prefix over http
SESSION_COOKIE_NAME = f"{_HOST_PREFIX}parley_session"
SESSION_COOKIE_SECURE = ENV.is_https
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600
CSRF_COOKIE_NAME = f"{_HOST_PREFIX}parley_csrf"
CSRF_COOKIE_SECURE = ENV.is_https
CSRF_COOKIE_HTTPONLY = True  # pages contain the token, so scripts need not read the cookie
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENV.is_https else None
SECURE_SSL_REDIRECT = ENV.is_https
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if ENV.is_https else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * 1024 * 1024 + 64 * 1024  # the largest artifact with every character escaped in JSON
