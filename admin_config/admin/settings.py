"""Admin page of the organization's settings, a single row."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from admin_config.admin.base import PublishingAdmin
from admin_config.admin.publish_changes import publish_address, waiting_changes
from admin_config.errors import PublishBlocked, ReleaseInvalid
from admin_config.forms.base import SettingsForm
from admin_config.models import AppSettings
from admin_config.models.releases import MAX_NOTE_CHARS
from admin_config.services.configuration import release_publish
from admin_config.services.discarding.discard import UnpublishedDraft, unpublished_draft
from admin_config.services.selectors import STORAGE_LIMITS, draft_state
from tenants.admin import actor_of
from tenants.errors import ParleyError

OF_THE_QUESTION = frozenset({"csrfmiddlewaretoken", "seen", "note"})


class PublishingUnconfirmed(Exception):
    """The save would publish changes that the admin has not agreed to. `refusal`: why they can't be published now."""

    def __init__(self, unpublished: UnpublishedDraft, refusal: str = "") -> None:
        super().__init__(refusal)
        self.unpublished, self.refusal = unpublished, refusal


class SettingsAdmin(PublishingAdmin):
    """The organization's settings."""

    form = SettingsForm
    change_form_before_template = "admin/settings_note.html"
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "active_provider",
                    "offered_providers",
                    "publish_on_save",
                    "own_keys_allowed",
                    "approval_days",
                    "refusals_alert",
                    "never_hosts",
                )
            },
        ),
        (gettext_lazy("Files and deleted data"), {"fields": ("retention_days", *STORAGE_LIMITS)}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Redirect to the page of the only row."""
        current = AppSettings.objects.get()
        return redirect(reverse("admin:admin_config_appsettings_change", args=[current.pk]))

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Ask with the changes in place, and save nothing, when publish on save is switched on while the draft differs."""
        try:
            with transaction.atomic():
                response: HttpResponse = super().changeform_view(request, object_id, form_url, extra_context)
                return response
        except PublishingUnconfirmed as unasked:
            return self._ask(request, unasked)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save only what was edited: another admin may publish meanwhile, which sets the live release in this row.

        What waits is looked for before the form's own changes are in the draft, because these alone need no question.
        """
        is_switched_on = "publish_on_save" in form.changed_data and obj.publish_on_save
        is_waiting = is_switched_on and unpublished_draft() is not None
        obj.save(update_fields=form.changed_data)
        if is_waiting:
            _publish_waiting(request)

    def _ask(self, request: HttpRequest, question: PublishingUnconfirmed) -> HttpResponse:
        note = request.POST.get("note", "")
        context = {
            "opts": self.opts,
            "title": gettext("Publish what waits in the draft?"),
            "draft": draft_state(),
            "unpublished": question.unpublished,
            "refusal": question.refusal,
            "is_changed": "seen" in request.POST and request.POST["seen"] != question.unpublished.draft_hash,
            "note": note,
            "review": publish_address(form_values={"note": note}),
            "is_note_missing": "note" in request.POST and not request.POST["note"].strip(),
            "posted": [(name, value) for name, values in request.POST.lists() if name not in OF_THE_QUESTION for value in values],
            **waiting_changes(question.unpublished),
        }
        return TemplateResponse(request, "admin/releases/settings_publish.html", {**self.admin_site.each_context(request), **context})


def _publish_waiting(request: HttpRequest) -> None:
    """Publish what differs from the live release, if the admin has seen it and says what changes. Raises PublishingUnconfirmed.

    It is tried before the question, too, which then says what keeps it from going live. Raises ReleaseInvalid for problems of the draft, which
    the form shows.
    """
    draft = unpublished_draft()
    if draft is None:
        return
    actor, note, draft_hash = actor_of(request), request.POST.get("note", "").strip(), draft.draft_hash
    try:
        release = release_publish(
            organization_id=actor.organization_id, author_id=actor.user_id, note=note[:MAX_NOTE_CHARS], expected_hash=draft_hash
        )
    except ParleyError as error:
        if isinstance(error, ReleaseInvalid) and not isinstance(error, PublishBlocked):
            raise
        raise PublishingUnconfirmed(draft, str(error)) from error
    if not note or request.POST.get("seen") != draft_hash:
        raise PublishingUnconfirmed(draft)
    messages.success(request, gettext("Release %(number)s is live.") % {"number": release.number})
