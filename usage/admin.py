"""Admin pages of usage: on an organization's site the page, exports, the statement, reconciliation and calculations with new prices; on the
operator's site the export of its overview.
"""

from __future__ import annotations

from datetime import UTC, date
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext

from admin_config.admin.base import ReadOnly, TenantModelAdmin
from admin_config.admin.sites import operator_site, organization_site
from admin_config.admin.sites.mount import DeferredResponse
from admin_config.defaults.providers import PROVIDERS
from admin_config.models import ProviderEndpoint
from admin_config.services.currencies import currency_on
from artifacts.exports import markdown_download
from chat.operations.open_breakers import paused_endpoints
from security.audit import audit, platform_audit
from security.line_files import FORMATS, as_attachment
from tenants.access import Actor
from tenants.admin import AuditedAdmin, actor_of
from tenants.localization.currency import currency_shown
from tenants.localization.figures import figure
from tenants.postgres.replica import read_from_replica
from usage.models import ModelSum, Reconciliation, UsageSum
from usage.pages.differences import FIELD_WORDS, difference_texts
from usage.pages.exports import export_stream
from usage.pages.figure_texts import currency_note
from usage.pages.overview import usage_page_context
from usage.pages.statement import PAGE_HEAD, Statement, months_before, statement_csv, statement_markdown, statement_of
from usage.platform.exports import organizations_export_stream
from usage.platform.overview import organizations_query, platform_part
from usage.reading.query import PeriodUnusable, UsageQuery
from usage.reconciliation.comparison import compare, days_of, logged_usage, reconciliation_store
from usage.reconciliation.provider_exports import FIELDS, MAX_BYTES, ExportUnreadable, export_read
from usage.repricing import repricing_begin
from usage.tools.exports import tools_export_stream
from usage.tools.page import tools_page_context

STATEMENT_FORMATS = ("csv", "pdf")
MONTHS = 24  # whose statements are offered
COMPARISONS = 10  # with providers' exports, shown
DIFFERENCES = 200  # of each


class UsageAdmin(ReadOnly, TenantModelAdmin):
    """What the organization used."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("", view(self.usage_view), name="usage_usagesum_changelist"),
            path("export/", view(self.export_view), name="usage_usagesum_export"),
            path("tools/", view(self.tools_view), name="usage_usagesum_tools"),
            path("tools/export/", view(self.tools_export_view), name="usage_usagesum_tools_export"),
            path("statement/", view(self.statement_view), name="usage_usagesum_statement"),
            path("reconcile/", view(self.reconcile_view), name="usage_usagesum_reconcile"),
            path("reprice/", view(self.reprice_view), name="usage_usagesum_reprice"),
        ]

    def usage_view(self, request: HttpRequest) -> HttpResponse:
        read = partial(usage_page_context, _query_of(request), open_key=request.GET.get("open", ""))
        context = read_from_replica(actor_of(request).organization_id, read)
        return self._page(request, "usage/usage.html", gettext("Usage"), currency_note=currency_note(), **context)

    def tools_view(self, request: HttpRequest) -> HttpResponse:
        query = _query_of(request).of_tools()
        read = partial(tools_page_context, query, open_tool=request.GET.get("open", ""), today=_today())
        context = read_from_replica(actor_of(request).organization_id, read)
        return self._page(request, "usage/tools.html", gettext("Usage by tool"), **context)

    def tools_export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Stream what the address of the page of tools asks for. By POST, because the export is an event of the audit log."""
        form = request.POST.get("format", "")
        if request.method != "POST" or form not in FORMATS:
            raise Http404
        actor, query = actor_of(request), UsageQuery.of(request.POST, _today()).of_tools()
        _audit_export(actor, {"format": form, "tools": query.address()})
        name = f"tools-{query.period.first}-{query.period.last}.{form}"
        return as_attachment(StreamingHttpResponse(tools_export_stream(actor.organization_id, query, form)), FORMATS[form], name)

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Stream what the address of the page asks for. By POST, because the export is an event of the audit log."""
        form = request.POST.get("format", "")
        if request.method != "POST" or form not in FORMATS:
            raise Http404
        actor, query = actor_of(request), UsageQuery.of(request.POST, _today())
        _audit_export(actor, {"format": form, "query": query.address()})
        name = f"usage-{query.period.first}-{query.period.last}.{form}"
        return as_attachment(StreamingHttpResponse(export_stream(actor.organization_id, query, form)), FORMATS[form], name)

    def statement_view(self, request: HttpRequest) -> HttpResponseBase:
        """Show a month, or by POST give it as a file, which is an event of the audit log."""
        actor, parameters = actor_of(request), request.POST if request.method == "POST" else request.GET
        statement = statement_of(organization_id=actor.organization_id, month=parameters.get("month", ""), now=timezone.now())
        with currency_shown(partial(currency_on, statement.period.last)):
            if request.method != "POST":
                return self._statement_page(request, statement)
            return self._statement_file(actor, statement, parameters.get("format", ""))

    def _statement_page(self, request: HttpRequest, statement: Statement) -> HttpResponseBase:
        """Return the page as it is drawn now, as the currency of its month ends with this view."""
        context = {"statement": statement, "months": months_before(_today(), MONTHS), "head": PAGE_HEAD, "currency_note": currency_note()}
        return self._page(request, "usage/statement.html", statement.title, **context).render()

    def _statement_file(self, actor: Actor, statement: Statement, form: str) -> HttpResponseBase:
        name = f"statement-{statement.period.first:%Y-%m}"
        if form not in STATEMENT_FORMATS:
            raise Http404
        _audit_export(actor, {"format": form, "statement": f"{statement.period.first:%Y-%m}"})
        if form == "csv":
            return as_attachment(HttpResponse(statement_csv(statement)), FORMATS["csv"], f"{name}.csv")
        return DeferredResponse(partial(_pdf, statement.title, statement_markdown(statement), f"{name}.pdf"))

    def reconcile_view(self, request: HttpRequest) -> HttpResponse:
        if request.method == "POST":
            self._reconcile(request)
            return redirect("admin:usage_usagesum_reconcile")
        providers = sorted((name, _provider_label(name)) for name in set(ProviderEndpoint.objects.values_list("provider", flat=True)))
        newest = Reconciliation.objects.select_related("asked_by__user").order_by("-created_at")[:COMPARISONS]
        done = [
            (row, _provider_label(row.provider), [difference_texts(difference) for difference in row.differences[:DIFFERENCES]])
            for row in newest
        ]
        fields = list(FIELD_WORDS.items())
        return self._page(
            request, "usage/reconcile.html", gettext("Compare with a provider"), providers=providers, done=done, fields=fields
        )

    def _reconcile(self, request: HttpRequest) -> None:
        actor, provider, upload = actor_of(request), request.POST.get("provider", ""), request.FILES.get("file")
        if upload is None or not provider:
            messages.error(request, gettext("Choose the provider and its file."))
            return
        own = {name: header for name in ("day", "model", *FIELDS) if (header := request.POST.get(f"column_{name}", "").strip())}
        try:
            provider_sums = export_read(upload.read(MAX_BYTES + 1), provider=provider, own=own)
        except ExportUnreadable as error:
            messages.error(request, f"{upload.name}: {error}")
            return
        comparison = compare(provider_sums, logged_usage(provider, *days_of(provider_sums)))
        reconciliation_store(
            actor=actor, organization_id=actor.organization_id, provider=provider, file_name=upload.name or "", comparison=comparison
        )
        if comparison.differences:
            messages.warning(
                request,
                gettext("%(count)s differences in %(lines)s days and models.")
                % {"count": figure(len(comparison.differences)), "lines": figure(comparison.lines)},
            )
        else:
            messages.success(request, gettext("No differences in %(lines)s days and models.") % {"lines": figure(comparison.lines)})

    def reprice_view(self, request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            raise Http404
        query = UsageQuery.of(request.POST, _today())
        if repricing_begin(actor=actor_of(request), period=query.period):
            messages.success(request, gettext("Being calculated. The log keeps the calls as they were; the result stands beside it."))
        else:
            messages.warning(request, gettext("None of the models that were called without a price has one now."))
        return redirect(f"{reverse('admin:usage_usagesum_changelist')}?{query.address()}")

    def _page(self, request: HttpRequest, template: str, title: str, **context: Any) -> TemplateResponse:
        site_context = {**self.admin_site.each_context(request), "opts": self.opts, "title": title}
        return TemplateResponse(request, template, {**site_context, **context})


def _provider_label(provider: str) -> str:
    return str(PROVIDERS[provider].label) if provider in PROVIDERS else provider


class PlatformUsageAdmin(ReadOnly, AuditedAdmin):
    """What all organizations used, on the operator's site, whose overview shows it."""

    def get_urls(self) -> list[URLPattern]:
        return [path("export/", self.admin_site.admin_view(self.export_view), name="usage_modelsum_export")]

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Stream the organizations that the filters of the overview show. By POST, because the export is an event of the audit log."""
        form = request.POST.get("format", "")
        if request.method != "POST" or form not in FORMATS:
            raise Http404
        query = organizations_query(request.POST.dict(), paused_endpoints())
        platform_audit(
            actor_user_id=request.user.pk,
            action="usage.operator.export",
            object_kind="usage",
            object_id="",
            detail={"format": form, "filters": query.filters.query()},
        )
        name = f"organizations-{query.today}.{form}"
        return as_attachment(StreamingHttpResponse(organizations_export_stream(query, form)), FORMATS[form], name)


def _query_of(request: HttpRequest) -> UsageQuery:
    """Return what the page's address asks for. Days that no page can show become a message, and the running month."""
    parameters = request.GET.dict()
    try:
        return UsageQuery.of(parameters, _today())
    except PeriodUnusable as error:
        messages.error(request, error.message)
        return UsageQuery.of({**parameters, "from": "", "to": ""}, _today())


def _today() -> date:
    return timezone.now().astimezone(UTC).date()


def _audit_export(actor: Actor, detail: dict[str, str]) -> None:
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="usage.export",
        object_kind="usage",
        object_id="",
        detail=detail,
    )


def _pdf(title: str, text: str, name: str) -> HttpResponseBase:
    """Return the file. A child process draws it, so no transaction may be open. Raises ExportBusy, ExportTooLarge and ExportFailed."""
    return as_attachment(HttpResponse(markdown_download(title, text, "pdf").content), "application/pdf", name)


organization_site.register(UsageSum, UsageAdmin)
operator_site.overview_parts.append(platform_part)
operator_site.register(ModelSum, PlatformUsageAdmin)
