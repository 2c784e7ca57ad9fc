"""Base classes of the pages that edit an organization's rows (SECURITY 31)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from unfold.admin import StackedInline
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextInputWidget

from admin_config.errors import Problem, PublishBlocked, ReleaseInvalid, SettingsBusy
from admin_config.forms.row_sets import RowsFormSet
from admin_config.models import AppSettings
from admin_config.models.releases import MAX_NOTE_CHARS
from admin_config.services.configuration import release_publish
from admin_config.services.settings_lock import settings_lock
from tenants.admin import OrganizationAdmin, actor_of
from tenants.errors import ParleyError
from tenants.input.short_text import short_text

WHY = "_why"  # what is sent as the reason of a save
Column = TypeVar("Column", bound=Callable[..., Any])


def badge(description: str | Promise, colors: dict[str, str]) -> Callable[[Column], Column]:
    """Decorate a list column so that its values are shown as coloured labels. Values without a colour are plain.

    The column gives an English word, which is looked up in the catalogue, or a pair of a key of `colors` and the text that is shown.
    """

    def decorate(column: Column) -> Column:
        @wraps(column)
        def colored_label(*args: Any) -> Any:
            value = column(*args)
            word, text = value if isinstance(value, tuple) else (value, gettext(value) if value else "")
            return (word, text) if word in colors else text

        display_column: Column = display(description=description, label=colors)(cast(Column, colored_label))
        return display_column

    return decorate


class TenantModelAdmin(OrganizationAdmin):
    """Base admin class for rows of one organization.

    The managers limit lists, lookups and choices to it; `organization` is never a field. There are no list_editable fields, generic inlines
    or bulk actions, because each would need a check of its own.
    """

    exclude = ("organization",)


class ServicePage(TenantModelAdmin):
    """Base of pages whose services write the audit log, so that Django's notes of changes are left out."""

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> None:
        """Do nothing: the service has written the event."""

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> None:
        """Do nothing: the service has written the event."""

    def log_deletions(self, request: HttpRequest, queryset: Any) -> None:
        """Do nothing: the service has written the event."""

    def render_page(self, request: HttpRequest, template: str, title: str, **context: Any) -> TemplateResponse:
        page_context = {**self.admin_site.each_context(request), "opts": self.opts, "title": title, **context}
        return TemplateResponse(request, template, page_context)

    def for_each(self, request: HttpRequest, rows: Any, done: str, work: Callable[[Any], object]) -> None:
        """Do the work for each row, and say how many it was done for and what kept it from the others."""
        count = 0
        for row in rows:
            try:
                with transaction.atomic():
                    work(row)
                count += 1
            except ParleyError as error:
                messages.error(request, f"{row}: {error.message}")
        if count:
            messages.success(request, f"{done}: {count}.")


class ReadOnly:
    """Mixin of admin classes whose rows nobody adds, changes or deletes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class PartInline(StackedInline):  # type: ignore[misc]  # the theme has no types
    """Base inline of rows on the page of an agent or a tool source: whoever may administer the organization may edit them."""

    extra = 0
    formset = RowsFormSet

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer


@dataclass(frozen=True, slots=True)
class SaveRefusal:
    """Why nothing was saved. `row_id`: of the row that the form would have saved, whose problems are shown at their fields."""

    problems: Sequence[Problem]
    row_id: UUID | None = None


class PublishingAdmin(TenantModelAdmin):
    """Base admin class whose saves and deletes publish the draft in the same transaction, unless the organization collects changes first.

    A save that can't be published is rolled back, and its page is shown again with what was sent and the problems. So the draft is checked
    once for each save, with all that the page saves in it.

    What a page saves locks the settings row first, before it reads the row that it changes, as publishing, discarding and going back do.
    Else a save could bring back what was discarded meanwhile without saying so, or its event could lie before the discard, so that nobody
    would be named for what it left in the draft; and in another order two admins could block each other.
    """

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the page. What was sent is shown again with the reason while another admin keeps the settings locked, or if it can't go live."""
        try:
            draft_lock_for(request)
        except SettingsBusy as error:
            return self._shown_again(request, SaveRefusal([Problem(str(error))]), object_id, form_url, extra_context)
        try:
            response: HttpResponse = super().changeform_view(request, object_id, form_url, extra_context)
            return response
        except ReleaseInvalid as error:
            refusal = SaveRefusal(error.problems, getattr(request, "saved_row_id", None))
        return self._shown_again(request, refusal, object_id, form_url, extra_context)

    def _shown_again(self, request: HttpRequest, refusal: SaveRefusal, *args: Any) -> HttpResponse:
        request.refusal = refusal  # type: ignore[attr-defined]
        for name in request.FILES:
            for upload in request.FILES.getlist(name):
                upload.seek(0)
        response: HttpResponse = super().changeform_view(request, *args)
        return response

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        refusal: SaveRefusal | None = getattr(request, "refusal", None)
        return _form_with_problems(form, refusal) if refusal else form

    def get_formsets_with_inlines(self, request: HttpRequest, obj: Any = None) -> Iterator[tuple[type[Any], Any]]:
        """Yield the parts of the page. Those of a refused save are not checked as a whole: a check may try rows, for which it has no lock."""
        for formset, inline in super().get_formsets_with_inlines(request, obj):
            yield _formset_without_check(formset) if hasattr(request, "refusal") else formset, inline

    def get_formset_kwargs(self, request: HttpRequest, obj: Any, inline: Any, prefix: str) -> dict[str, Any]:
        """Give each part of the page what was sent. Django copies it for each, as for "save as new", which no page offers."""
        submission = {"data": request.POST, "files": request.FILES} if request.method == "POST" else {}
        return {"instance": obj, "prefix": prefix, "queryset": inline.get_queryset(request), **submission}

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the page; beside Save it asks why where a save is published."""
        if "publishes_on_save" not in context:  # an agent's page has read it already
            context["publishes_on_save"] = AppSettings.objects.filter(publish_on_save=True).exists()
        if context["publishes_on_save"]:
            context["why_field"] = _why_field(request.POST.get(WHY, ""), form_id=f"{self.opts.model_name}_form")
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        row = super().save_form(request, form, change)
        request.saved_row_id = row.pk  # type: ignore[attr-defined]
        return row

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        publish_after_save(request)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        publish_after_save(request)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Keep a row that the active configuration needs, and show the reason."""
        try:
            with transaction.atomic():
                draft_lock_for(request)
                response: HttpResponse = super().delete_view(request, object_id, extra_context)
                return response
        except (ReleaseInvalid, SettingsBusy) as error:
            messages.error(request, gettext("Not deleted. %(error)s") % {"error": error})
            return redirect(reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"))


def _why_field(text: str, *, form_id: str) -> SafeString:
    """Return the field of the release's note. It stands outside of the form that sends it."""
    hint = gettext("Optional: the note of the release")
    widget = UnfoldAdminTextInputWidget(attrs={"id": "id_why", "form": form_id, "maxlength": MAX_NOTE_CHARS, "placeholder": hint})
    html: SafeString = widget.render(WHY, text)
    return html


def _form_with_problems(form: type[Any], refusal: SaveRefusal) -> type[Any]:
    """Return a form class that is never valid and shows the problems of a refused save."""

    def clean_form(self: Any) -> None:
        for problem in refusal.problems:
            is_own = problem.row_id == refusal.row_id and problem.field in self.fields
            self.add_error(problem.field if is_own else None, problem.text)

    return type(form.__name__, (form,), {"_clean_form": clean_form, "_post_clean": lambda self: None, "Meta": form.Meta})


def _formset_without_check(formset: type[Any]) -> type[Any]:
    return type(formset.__name__, (formset,), {"clean": lambda self: None})


def draft_lock_for(request: HttpRequest) -> None:
    """Lock the organization's settings row if the request may save something of the draft. It needs a transaction, which frees the row.

    Raises SettingsBusy.
    """
    if request.method == "POST":
        settings_lock(actor_of(request).organization_id)


def publish_after_save(request: HttpRequest) -> None:
    """Publish the draft if the organization publishes on save, with the reason beside Save as its note, and show a message.

    Raises ReleaseInvalid.

    While checks or a canary keep it from going live, what was saved stays in the draft. Locks the settings row: an admin who switches
    publish on save on at that moment either sees this change among those that wait, or it is published.
    """
    actor = actor_of(request)
    current = settings_lock(actor.organization_id)
    live_id = current.live_release_id
    if not current.publish_on_save:
        messages.info(request, gettext("Saved to the draft. It goes live when you publish it on the releases page."))
        return
    try:
        release = release_publish(
            organization_id=actor.organization_id,
            author_id=actor.user_id,
            note=short_text(request.POST.get(WHY, ""), at_most=MAX_NOTE_CHARS),
            locked_settings=current,
        )
    except PublishBlocked as error:
        messages.warning(
            request, gettext("Saved to the draft, not published. %(error)s Publish it on the releases page.") % {"error": error}
        )
        return
    if release.id != live_id:
        messages.success(request, gettext("Release %(number)s is live.") % {"number": release.number})
