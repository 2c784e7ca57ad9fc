"""Settings of static files: our own in static/, built ones in static_build/. whitenoise serves them without collectstatic."""

from __future__ import annotations

from wsgiref.headers import Headers

from config.env import BASE_DIR
from config.settings.environment import ENV

STATIC_URL = "/static/"
STATICFILES_DIRS = [folder for folder in (BASE_DIR / "static", BASE_DIR / "static_build") if folder.is_dir()]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = ENV.debug == "1"
WHITENOISE_ALLOW_ALL_ORIGINS = False
# The build puts a hash into the file names of dist/ and Pyodide's version into the path of its files.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/(?:dist/.+-[A-Za-z0-9_-]{8,}\.\w+|pyodide/[\w.]+/.+)$"


def WHITENOISE_ADD_HEADERS_FUNCTION(headers: Headers, path: str, url: str) -> None:  # noqa: N802  # a setting
    """Allow cross-origin reads of scripts, because sandboxed frames have an opaque origin.

    This is safe: the files are public and the same for everybody.
    """
    if url.startswith((f"{STATIC_URL}dist/", f"{STATIC_URL}pyodide/")):
        headers["Access-Control-Allow-Origin"] = "*"
