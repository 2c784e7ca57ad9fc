"""The operator's mail box: what went out, what waits, and, on a machine without a mail server, the mails themselves."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.admin import display
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST

from accounts.mail.languages import reader_language
from accounts.mail.server import mail_server_check, mail_server_state, mail_try
from accounts.models import OutgoingMail
from tenants.admin import AuditedAdmin


class MailBoxAdmin(AuditedAdmin):
    """Read only. Two buttons try the mail server. Who reads a mail is in the log of the organizations that it concerns."""

    list_display = ("subject", "recipient", "state", "created_at")
    list_filter = ("state", "kind")
    search_fields = ("recipient",)
    ordering = ("-created_at",)
    sortable_by = ()
    show_full_result_count = False
    fields = ("subject", "recipient", "state", "attempts", "error", "next_try_at", "created_at", "letter")
    readonly_fields = fields
    list_before_template = "admin/organization/mail_try.html"

    @display(description=gettext_lazy("Text"))
    def letter(self, mail: OutgoingMail) -> str:
        return format_html('<pre class="parley-mail">{}</pre>', mail.text or gettext("The text was deleted after the mail had gone out."))

    def get_urls(self) -> list[URLPattern]:
        urls: list[URLPattern] = super().get_urls()
        guard = self.admin_site.admin_view
        return [
            path("try-server/", guard(require_POST(try_server)), name="accounts_mail_try"),
            path("check-server/", guard(require_POST(check_server)), name="accounts_mail_check"),
            *urls,
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        context = {"server": settings.EMAIL_HOST, "server_state": mail_server_state() if settings.EMAIL_HOST else None}
        return super().changelist_view(request, {**context, **(extra_context or {})})

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: OutgoingMail | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: OutgoingMail | None = None) -> bool:
        return False


def try_server(request: HttpRequest) -> HttpResponse:
    """Send a mail to the operator at once and say how that went."""
    if settings.EMAIL_HOST:
        recipient = request.user.email  # type: ignore[union-attr]  # the site lets operators in only
        with reader_language(recipient):
            problem = mail_try(recipient)
        _show_message(request, problem, gettext("A test mail is on its way to %(recipient)s.") % {"recipient": recipient})
    else:
        _warn_no_server(request)
    return redirect("operator_site:accounts_outgoingmail_changelist")


def check_server(request: HttpRequest) -> HttpResponse:
    """Connect and sign in to the mail server, and say how that went."""
    if settings.EMAIL_HOST:
        _show_message(request, mail_server_check().problem, gettext("The mail server answers, and lets Parley in."))
    else:
        _warn_no_server(request)
    return redirect("operator_site:accounts_outgoingmail_changelist")


def _show_message(request: HttpRequest, problem: str, success: str) -> None:
    if problem:
        messages.error(request, problem)
    else:
        messages.success(request, success)


def _warn_no_server(request: HttpRequest) -> None:
    messages.warning(request, gettext("No mail server is set: EMAIL_URL is empty. Mails are kept here."))
