"""The operator's mail box: what went out, what waits, and, on a machine without a mail server, the mails themselves."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.admin import display
from django.core.mail import get_connection
from django.core.mail.message import EmailMessage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.views.decorators.http import require_POST
from unfold.admin import ModelAdmin

from accounts.mail.outbox import MAIL_ERRORS
from accounts.models import OutgoingMail


class MailBoxAdmin(ModelAdmin):  # type: ignore[misc]  # the theme has no types
    """Read only. A button tries the mail server."""

    list_display = ("subject", "recipient", "state", "created_at")
    list_filter = ("state", "kind")
    search_fields = ("recipient",)
    ordering = ("-created_at",)
    sortable_by = ()
    show_full_result_count = False
    fields = ("subject", "recipient", "state", "attempts", "error", "next_try_at", "created_at", "letter")
    readonly_fields = fields
    actions = None
    list_before_template = "admin/mail_try.html"

    @display(description="Text")
    def letter(self, mail: OutgoingMail) -> str:
        return format_html('<pre class="parley-mail">{}</pre>', mail.text or "The text was deleted after the mail had gone out.")

    def get_urls(self) -> list[URLPattern]:
        urls: list[URLPattern] = super().get_urls()
        return [path("try-server/", self.admin_site.admin_view(require_POST(try_server)), name="accounts_mail_try"), *urls]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: OutgoingMail | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: OutgoingMail | None = None) -> bool:
        return False


def try_server(request: HttpRequest) -> HttpResponse:
    """Send a mail to the operator at once and say how that went."""
    if settings.EMAIL_HOST:
        _try_server(request)
    else:
        messages.warning(request, "No mail server is set: EMAIL_URL is empty. Mails are kept here.")
    return redirect("operator_site:accounts_outgoingmail_changelist")


def _try_server(request: HttpRequest) -> None:
    recipient = request.user.email  # type: ignore[union-attr]  # the site lets operators in only
    try:
        EmailMessage(
            "Parley can send mail", "This is the test mail that you asked for.", None, [recipient], connection=get_connection()
        ).send()
    except MAIL_ERRORS as error:
        messages.error(request, f"The mail server did not take the mail ({type(error).__name__}). Check EMAIL_URL and EMAIL_FROM.")
    else:
        messages.success(request, f"A test mail is on its way to {recipient}.")
