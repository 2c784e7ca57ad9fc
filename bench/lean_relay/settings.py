"""Django settings of the lean relay.

Environment: PGHOST, PGPORT, PGUSER and PGDATABASE name its database; MODEL_URL, which the application reads, names the model's server.
"""

from __future__ import annotations

import os

from django.core.management.utils import get_random_secret_key

SECRET_KEY = get_random_secret_key()  # sessions end with the process
ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "bench.lean_relay"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware"]
ROOT_URLCONF = "bench.lean_relay.application"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": os.environ["PGHOST"],
        "PORT": os.environ["PGPORT"],
        "USER": os.environ["PGUSER"],
        "NAME": os.environ["PGDATABASE"],
        "OPTIONS": {"pool": True},  # as Django's documentation advises for ASGI
    }
}
