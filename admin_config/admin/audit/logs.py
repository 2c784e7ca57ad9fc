"""Admin pages of the audit logs: an organization's own, and the platform operator's. Nobody changes anything there."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from admin_config.admin.audit.log_page import audit_page_context
from admin_config.admin.audit.settings import settings_page, webhook_add_page, webhook_change, webhook_states
from admin_config.admin.base import ReadOnly, TenantModelAdmin
from security.audit import audit, platform_audit
from security.audit.exports import RETENTION, export_begin, export_stream, is_small, members, platform_export_stream
from security.audit.policy import AuditPolicy
from security.audit.reading import AuditFilters
from security.line_files import FORMATS
from security.models import AuditEvent, AuditExport, PlatformEvent
from tenants.admin import AuditedAdmin, actor_of
from tenants.models import Organization, User
from tenants.rest.downloads import download_response

LIST_PAGE = "admin:security_auditevent_changelist"


class AuditAdmin(ReadOnly, TenantModelAdmin):
    """The organization's log. Auditors read it; owners and admins export it as well."""

    auditors_may_view = True

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("", view(self.list_view), name="security_auditevent_changelist"),
            path("export/", view(self.export_view), name="security_auditevent_export"),
            path("exports/<uuid:object_id>/", view(self.download_view), name="security_auditevent_download"),
            path("settings/", view(self.settings_view), name="security_auditevent_settings"),
            path("settings/webhooks/", view(self.webhooks_view), name="security_auditevent_webhooks"),
            path("settings/webhooks/<uuid:object_id>/", view(self.webhook_view), name="security_auditevent_webhook"),
        ]

    def list_view(self, request: HttpRequest) -> HttpResponse:
        organization_id = actor_of(request).organization_id
        context = {
            **self.admin_site.each_context(request),
            **audit_page_context(request, AuditEvent.objects.all(), members(organization_id)),
            "opts": self.opts,
            "title": gettext("Audit log"),
            "exports": AuditExport.objects.order_by("-created_at")[:3],
            "export_url": reverse("admin:security_auditevent_export") if actor_of(request).can_administer else "",
            "can_change_settings": actor_of(request).can_administer,
            "webhooks": webhook_states(),
            "policy": AuditPolicy.of(Organization.objects.get(pk=organization_id)),
        }
        return TemplateResponse(request, "admin/organization/audit.html", context)

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Send the events of the filters as a file, or let a worker make it. By POST, because the export is an event itself."""
        form = request.POST.get("format", "")
        if request.method != "POST" or form not in FORMATS:
            raise Http404
        actor, filters = actor_of(request), AuditFilters.from_query(request.POST)
        is_streamed = is_small(filters, actor.organization_id)
        export = None if is_streamed else export_begin(actor=actor, filters=filters, form=form)
        if not is_streamed and export is None:
            messages.error(request, gettext("Other exports are still being made. Wait until one of them is done."))
            return redirect(f"{reverse(LIST_PAGE)}?{filters.query()}")
        audit(
            organization_id=actor.organization_id,
            actor_user_id=actor.user_id,
            action="audit.export",
            object_kind="audit_log",
            object_id=export.pk if export else "",
            detail={"format": form, "filters": filters.query()},
        )
        if export is not None:
            messages.success(
                request, gettext("The export has more than 10,000 events, so it is made in the background. Reload this page for its link.")
            )
            return redirect(f"{reverse(LIST_PAGE)}?{filters.query()}")
        return _attachment(StreamingHttpResponse(export_stream(actor.organization_id, filters, form)), form)

    def settings_view(self, request: HttpRequest) -> HttpResponse:
        _require_administrator(request)
        return settings_page(request, {**self.admin_site.each_context(request), "opts": self.opts})

    def webhooks_view(self, request: HttpRequest) -> HttpResponse:
        _require_administrator(request)
        return webhook_add_page(request, {**self.admin_site.each_context(request), "opts": self.opts})

    def webhook_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        _require_administrator(request)
        return webhook_change(request, object_id)

    def download_view(self, request: HttpRequest, object_id: UUID) -> HttpResponseBase:
        export = AuditExport.objects.filter(pk=object_id, status=AuditExport.Status.READY).first()
        if export is None or request.method != "GET":
            raise Http404
        try:
            return download_response(export.stored_as, _attachment_headers(export.format))
        except FileNotFoundError as exc:
            raise Http404(gettext("Exports are kept for %(days)s days.") % {"days": RETENTION.days}) from exc


class PlatformAuditAdmin(ReadOnly, AuditedAdmin):
    """The operator's log, which only the system role reads."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("", view(self.list_view), name="security_platformevent_changelist"),
            path("export/", view(self.export_view), name="security_platformevent_export"),
        ]

    def list_view(self, request: HttpRequest) -> HttpResponse:
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            **audit_page_context(request, PlatformEvent.objects.using("system"), User.objects.all()),
            "opts": self.opts,
            "title": gettext("Audit log"),
            "export_url": reverse("admin:security_platformevent_export"),
        }
        return TemplateResponse(request, "admin/organization/audit.html", context)

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Stream the events of the filters, however many: each batch has a transaction of its own."""
        form = request.POST.get("format", "")
        if request.method != "POST" or form not in FORMATS:
            raise Http404
        filters = AuditFilters.from_query(request.POST)
        platform_audit(
            actor_user_id=request.user.pk,
            action="audit.export",
            object_kind="audit_log",
            object_id="",
            detail={"format": form, "filters": filters.query()},
        )
        return _attachment(StreamingHttpResponse(platform_export_stream(filters, form)), form)


def _require_administrator(request: HttpRequest) -> None:
    """Whoever may only read the log changes neither its policy nor where it goes."""
    if not actor_of(request).can_administer:
        raise Http404


def _attachment(response: HttpResponseBase, form: str) -> HttpResponseBase:
    for name, value in _attachment_headers(form).items():
        response.headers[name] = value
    return response


def _attachment_headers(form: str) -> dict[str, str]:
    return {"Content-Type": FORMATS[form], "Content-Disposition": f'attachment; filename="audit-log.{form}"'}
