"""Admin page of shared links: those of all members, to be stopped; and what the organization allows."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.admin import action, display
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _, ngettext

from admin_config.admin.base import ReadOnly, ServicePage, badge
from admin_config.admin.sites import organization_site
from sharing.comments.notices import notify_share
from sharing.models import Share
from sharing.people import named_readers, with_readers
from sharing.policy import POLICIES, sharing_policy, sharing_policy_set
from sharing.selectors import shares_with_something
from sharing.services import share_stop_for_member
from tenants.admin import actor_of
from tenants.errors import BadRequest, NotAllowed
from tenants.localization.language import date_in_words
from tenants.models import Organization


class ShareAdmin(ReadOnly, ServicePage):
    """The links of an organization's members that were not stopped. The links themselves are their owners' alone."""

    empty_hint = gettext_lazy("Members share conversations and documents from their menus. You see the links here and can stop them.")
    actions = ("stop",)
    list_before_template = "admin/sharing/shares_intro.html"
    list_display = ("title", "kind", "member", "who_opens", "state", "openings")
    list_display_links = None
    search_fields = ("conversation__title", "copied_title", "artifact__title", "owner__user__name", "owner__user__email")
    ordering = ("-created_at",)
    sortable_by = ()

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.policy_view)
        return [path("policy/", view, name="sharing_share_policy"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Share]:
        rows = shares_with_something().filter(revoked_at=None)
        return with_readers(rows.select_related("conversation", "artifact", "owner__user"))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        context = {**(extra_context or {}), "policy_text": POLICIES[self._policy(request)]}
        response: HttpResponse = super().changelist_view(request, context)
        return response

    def policy_view(self, request: HttpRequest) -> HttpResponse:
        """Show what the organization allows; a POST changes it and stops what it does not allow."""
        if request.method == "POST":
            self._save_policy(request)
            return redirect("admin:sharing_share_policy")
        context = {"policies": POLICIES.items(), "policy": self._policy(request)}
        return self.render_page(request, "admin/sharing/shares_policy.html", gettext("Sharing by link"), **context)

    def _save_policy(self, request: HttpRequest) -> None:
        try:
            link_count = sharing_policy_set(actor=actor_of(request), policy=request.POST.get("policy", ""))
        except (BadRequest, NotAllowed) as error:
            messages.error(request, error.message)
            return
        message = gettext("Saved.")
        if link_count:
            message = ngettext("Saved. %(number)d link was stopped.", "Saved. %(number)d links were stopped.", link_count) % {
                "number": link_count
            }
        messages.success(request, message)

    def _policy(self, request: HttpRequest) -> Any:
        return sharing_policy(Organization.objects.get(pk=actor_of(request).organization_id))

    @action(description=gettext_lazy("Stop"))
    def stop(self, request: HttpRequest, queryset: QuerySet[Share]) -> None:
        actor = actor_of(request)
        self.for_each(request, queryset, gettext("Stopped"), lambda row: notify_share(share_stop_for_member(actor=actor, share_id=row.pk)))

    @display(description=gettext_lazy("what"))
    def kind(self, share: Share) -> str:
        what = {"conversation": gettext("Conversation"), "answer": gettext("Answer"), "artifact": gettext("Document")}[share.of]
        label = gettext("%(what)s, always the latest") if share.follows else gettext("%(what)s, a copy")
        return label % {"what": what}

    @display(description=gettext_lazy("shared by"))
    def member(self, share: Share) -> str:
        return str(share.owner.user)

    @display(description=gettext_lazy("who can open it"))
    def who_opens(self, share: Share) -> str:
        match share.audience:
            case Share.Audience.PUBLIC:
                anyone = gettext("Anyone and search engines") if share.is_listed else gettext("Anyone")
                return gettext("Anyone with the password") if share.password else anyone
            case Share.Audience.NAMED:
                names = ", ".join(reader.name for reader in named_readers(share)) or gettext("No one left")
                if share.right == Share.Right.READ:
                    return names
                may = gettext("%(names)s (may edit)") if share.right == Share.Right.EDIT else gettext("%(names)s (may comment)")
                return may % {"names": names}
            case _:
                return gettext("Members")

    @display(description=gettext_lazy("opened"))
    def openings(self, share: Share) -> str:
        return (
            gettext("%(view_count)s, last %(last_viewed_at)s")
            % {"view_count": share.view_count, "last_viewed_at": date_in_words(share.last_viewed_at, "j M Y")}
            if share.last_viewed_at
            else gettext("Not yet")
        )

    @badge(gettext_lazy("state"), {"Expired": "warning", "Open": "success"})
    def state(self, share: Share) -> str | tuple[str, str]:
        if share.has_expired:
            return _("Expired")
        return (
            ("Open", gettext("Until %(expires_at)s") % {"expires_at": date_in_words(share.expires_at, "j M Y")})
            if share.expires_at
            else "Open"
        )


organization_site.register(Share, ShareAdmin)
