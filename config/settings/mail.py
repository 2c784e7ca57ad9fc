"""Settings of mail: the server that sends it, from EMAIL_URL. Without one, mails are kept on the operator's site (accounts.mail)."""

from __future__ import annotations

from config.settings.environment import ENV

_SERVER = ENV.email_url
EMAIL_HOST = _SERVER.host if _SERVER else ""
EMAIL_PORT = _SERVER.port if _SERVER else 0
EMAIL_HOST_USER = _SERVER.user if _SERVER else ""
EMAIL_HOST_PASSWORD = _SERVER.password if _SERVER else ""
EMAIL_USE_SSL = bool(_SERVER and _SERVER.is_tls)
EMAIL_USE_TLS = bool(_SERVER and _SERVER.starts_tls)
EMAIL_TIMEOUT = 20  # seconds
DEFAULT_FROM_EMAIL = ENV.email_from or f"Parley <parley@{ENV.public_url.hostname}>"
