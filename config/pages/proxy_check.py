"""Says what arrived of a request that `manage.py doctor` sent to PUBLIC_URL, through whatever stands in front (config.doctor.proxy)."""

from __future__ import annotations

from typing import Final

from django.core import signing
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.http import require_GET

HEADER: Final = "X-Parley-Check"
LIFETIME_S: Final = 30
_SALT: Final = "config.proxy_check"


def check_token() -> str:
    """Return what only a process with this SECRET_KEY can send."""
    return signing.dumps("proxy", salt=_SALT)


@require_GET
def proxy_check(request: HttpRequest) -> JsonResponse:
    """Return whom the process takes for the client, and how. Raises Http404 for everybody but doctor."""
    try:
        signing.loads(request.headers.get(HEADER, ""), salt=_SALT, max_age=LIFETIME_S)
    except signing.BadSignature as error:
        raise Http404 from error
    report = {
        "client": request.META.get("REMOTE_ADDR", ""),
        "forwarded_for": request.headers.get("X-Forwarded-For", ""),
        "forwarded_proto": request.headers.get("X-Forwarded-Proto", ""),
        "is_secure": request.is_secure(),
    }
    return JsonResponse(report, headers={"Cache-Control": "no-store"})
