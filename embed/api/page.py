"""The script that other people's pages load, and the page in the frame that it opens. Neither sets or reads a cookie."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Final

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from admin_config.errors import RunConfigError
from admin_config.services.selectors import live_release
from admin_config.services.switches import switches_of
from artifacts.sandbox_views import frame_response
from chat.api.boot import BootOrganization, ChatSwitch
from embed.api.schemas import EmbedBoot, EmbedTexts
from embed.keys import site_find, site_key
from embed.models import EmbedSite
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.localization.language import browser_language

SCRIPT: Final = "dist/embed.js"
SCRIPT_HEADERS: Final = {
    "Cache-Control": "public, max-age=300",  # its address has no version, so that the pages of others never have to change
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",  # for pages that load it with `crossorigin`
    "Vary": "Accept-Encoding",
}
# As on our other pages, but for who may frame it, and for forms, of which it has none.
FRAME_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'self' {origins}; "
    "require-trusted-types-for 'script'; trusted-types app"
)


@require_safe
def script(request: HttpRequest) -> HttpResponse:
    """Return embed.js."""
    file_path = finders.find(SCRIPT)
    if not file_path:
        raise NotFound(gettext("The browser code is not built: run `python -m tools.frontend build`."))
    path = Path(file_path)
    takes_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
    content, etag = _file(path.with_suffix(".js.gz") if takes_gzip else path, path.stat().st_mtime_ns)
    headers = {**SCRIPT_HEADERS, "ETag": etag, **({"Content-Encoding": "gzip"} if takes_gzip else {})}
    response = HttpResponse(content, content_type="text/javascript; charset=utf-8", headers=headers)
    return get_conditional_response(request, etag=etag, response=response) or response


@require_safe
@xframe_options_exempt
def frame(request: HttpRequest, site: str) -> HttpResponse:
    """Return the page of the chat. Only pages of the allowed origins, and our own for the admins' preview, can show it in a frame."""
    embed_site = site_find(site)
    boot = _boot(request, embed_site)
    page = loader.get_template("embed/frame.html").render({"boot": boot.model_dump(mode="json", by_alias=True), "request": request})
    policy = FRAME_POLICY.format(nonce=request.csp_nonce, origins=" ".join(embed_site.allowed_origins))  # type: ignore[attr-defined]
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"}
    return HttpResponse(page, headers=headers)


@require_safe
@xframe_options_exempt
def sandbox(request: HttpRequest, site: str) -> HttpResponse:
    """Return the frame that draws diagrams (docs/decisions/0008) inside the chat's frame: the pages around that one are its ancestors, too."""
    embed_site = site_find(site)
    return frame_response(request, "mermaid", ancestors=" ".join(["'self'", *embed_site.allowed_origins]))


@lru_cache(maxsize=4)
def _file(path: Path, _changed_ns: int) -> tuple[bytes, str]:
    content = path.read_bytes()
    return content, f'"{hashlib.sha256(content).hexdigest()[:24]}"'


def _switches(site: EmbedSite) -> list[ChatSwitch]:
    """Return what members switch, too; nothing while the configuration is incomplete."""
    try:
        with tenant_tx(site.organization.pk):
            snapshot = live_release(organization_id=site.organization.pk).snapshot
    except RunConfigError:
        return []
    return [ChatSwitch.model_validate(asdict(switch)) for switch in switches_of(snapshot)]


def _boot(request: HttpRequest, site: EmbedSite) -> EmbedBoot:
    key, organization = site_key(site), site.organization
    base = f"/embed/{key}"
    look = EmbedTexts.model_validate({name: getattr(site, name) for name in EmbedTexts.model_fields})
    return EmbedBoot(
        # Drafts in the visitor's browser are kept under the slug: there it is the embed's own. Members' addresses are nobody's business.
        organization=BootOrganization(
            slug=key, name=site.title, accent_color=site.accent_color or organization.accent_color, logo_url=None
        ),
        role="visitor",
        language=site.language or browser_language(request),
        api=f"{base}/api",
        socket_url=f"{base}/ws/",
        session_url=f"{base}/session/",
        sandbox_url=f"{base}/sandbox/",
        site=key,
        origins=[*site.allowed_origins, f"{request.scheme}://{request.get_host()}"],
        anonymous_allowed=site.anonymous_allowed,
        members_may_keep=site.members_may_keep,
        switches=_switches(site) if site.shows_switches else [],
        look=look,
    )
