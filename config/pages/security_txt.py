"""`/.well-known/security.txt`: whom to tell about a hole (RFC 9116)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

VALID = timedelta(days=180)  # RFC 9116 asks for less than a year


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Return the operator's contact. 404 while SECURITY_CONTACT is not set."""
    if not settings.SECURITY_CONTACT:
        raise Http404("There is no security contact.")
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    fields = {
        "Contact": settings.SECURITY_CONTACT,
        "Expires": (today + VALID).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "Policy": settings.SECURITY_POLICY_URL,
        "Preferred-Languages": "en",
        "Canonical": f"{settings.PUBLIC_URL}{request.path}",
    }
    text = "".join(f"{name}: {value}\n" for name, value in fields.items() if value)
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "public, max-age=86400"})
