"""Static files: own ones in static/, built ones in static_build/; served by whitenoise without a collecting step."""

from __future__ import annotations

from config.env import BASE_DIR
from config.settings.environment import ENV

STATIC_URL = "/static/"
STATICFILES_DIRS = [folder for folder in (BASE_DIR / "static", BASE_DIR / "static_build") if folder.is_dir()]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = ENV.debug == "1"
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/dist/.+-[A-Za-z0-9_-]{8,}\.\w+$"  # the build puts a hash into these names
