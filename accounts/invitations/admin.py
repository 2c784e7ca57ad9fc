"""Admin page of invitations: invite by list, CSV file or link, send again, revoke."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.admin import action, display
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _, ngettext, pgettext

from accounts.invitations.acceptance import invitation_state
from accounts.invitations.forms import AddressesForm, CsvForm, LinkForm
from accounts.invitations.services import (
    invitation_link_create,
    invitation_resend,
    invitation_revoke,
    invitations_send,
    reader_for,
)
from accounts.members.member_page import MemberPage
from accounts.models import Invitation
from accounts.organizations.member_policy import member_policy
from admin_config.admin.base import badge
from tenants.admin import actor_of
from tenants.errors import ParleyError

STATE_COLORS = {"Expired": "danger", "Domain not allowed": "danger", "Revoked": "danger", "Accepted": "success"}


class InvitationAdmin(MemberPage):
    """The invitations of one organization."""

    empty_hint = gettext_lazy("Whom you invite is listed here until they join.")
    actions = ("resend", "revoke")
    list_display = ("whom", "role_and_groups", "inviter", "state", "uses_text", "sent_at", "expires_at")
    list_display_links = None
    list_select_related = ("invited_by__user", "organization")
    search_fields = ("email", "name")
    ordering = ("-created_at",)
    sortable_by = ()

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the three ways to invite; a POST previews, sends or makes a link."""
        actor = actor_of(request)
        policy = member_policy(actor.organization_id)
        days = policy.invitation_days
        reader = reader_for(actor)
        way = request.POST.get("way", request.GET.get("way", "addresses"))
        form_kwargs: dict[str, Any] = {"data": request.POST, "files": request.FILES} if request.method == "POST" else {}
        form: Any
        if way == "link":
            form = LinkForm(actor=actor, days=days, without=("owner",), allowed_domains=policy.email_domains, **form_kwargs)
        else:
            form = (CsvForm if way == "csv" else AddressesForm)(actor=actor, days=days, reader=reader, **form_kwargs)
        if request.method == "POST" and form.is_valid():
            try:
                with transaction.atomic():
                    return self._invite(request, way, form)
            except ParleyError as error:
                form.add_error(None, error.message)
        return self._page(request, way, form)

    def _invite(self, request: HttpRequest, way: str, form: Any) -> HttpResponse:
        actor = actor_of(request)
        if way == "link":
            data = form.cleaned_data
            row, url = invitation_link_create(
                actor=actor, name=data["name"], terms=form.terms(), max_uses=data["max_uses"], email_domain=data["email_domain"]
            )
            return self._links(request, [(str(row), url)])
        good = [invitee for invitee in form.invitees if not invitee.problem]
        is_confirmed = request.POST.get("step") == "send"
        if (not is_confirmed and (way == "csv" or len(good) < len(form.invitees))) or not good:
            return self._page(request, way, form, invitees=form.invitees, good=len(good))
        invitations = invitations_send(actor=actor, invitees=good, terms=form.terms())
        messages.success(
            request,
            ngettext("%(number)d invitation was sent.", "%(number)d invitations were sent.", len(invitations))
            % {"number": len(invitations)},
        )
        return redirect(reverse("admin:accounts_invitation_changelist"))

    def _page(self, request: HttpRequest, way: str, form: Any, **context: Any) -> HttpResponse:
        return self.render_page(request, "admin/people/invite.html", gettext("Invite people"), way=way, form=form, **context)

    def _links(self, request: HttpRequest, links: list[tuple[str, str]]) -> HttpResponse:
        """Show links, which can't be read again."""
        title = gettext("Your link") if len(links) == 1 else gettext("Your links")
        return self.render_page(request, "admin/people/invitation_links.html", title, links=links)

    @action(description=gettext_lazy("Send again, or create a new link"))
    def resend(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> HttpResponse | None:
        actor = actor_of(request)
        links: list[tuple[str, str]] = []

        def work(row: Invitation) -> None:
            url = invitation_resend(actor=actor, invitation_id=row.pk)
            if row.is_link:
                links.append((str(row), url))

        self.for_each(request, queryset, gettext("New invitations"), work)
        return self._links(request, links) if links else None

    @action(description=gettext_lazy("Revoke"))
    def revoke(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        actor = actor_of(request)
        self.for_each(request, queryset, gettext("Revoked"), lambda row: invitation_revoke(actor=actor, invitation_id=row.pk))

    @display(description=gettext_lazy("for"))
    def whom(self, row: Invitation) -> str:
        only = gettext(", only @%(email_domain)s") % {"email_domain": row.email_domain} if row.email_domain else ""
        return row.email or f"{row.name or gettext('Link')}{only}"

    @display(description=gettext_lazy("role"))
    def role_and_groups(self, row: Invitation) -> str:
        number = len(row.group_ids)
        return row.get_role_display() + (
            f", {ngettext('%(number)s group', '%(number)s groups', number) % {'number': number}}" if number else ""
        )

    @display(description=gettext_lazy("by"))
    def inviter(self, row: Invitation) -> str:
        return str(row.invited_by.user) if row.invited_by else gettext("The operator") if row.operator_id else ""

    @badge(gettext_lazy("state"), STATE_COLORS)
    def state(self, row: Invitation) -> str:
        state = invitation_state(row)
        return {
            "open": pgettext("state", "Open"),
            "used": _("Accepted"),
            "expired": _("Expired"),
            "revoked": _("Revoked"),
            "disallowed": _("Domain not allowed"),
        }[state]

    @display(description=gettext_lazy("uses"))
    def uses_text(self, row: Invitation) -> str:
        return gettext("%(uses)s of %(max_uses)s") % {"uses": row.uses, "max_uses": row.max_uses}
