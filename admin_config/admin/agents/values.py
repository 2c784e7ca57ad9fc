"""A value in the table *By provider*, edited there (design 42): one field of the agent's own form, saved as its page would save it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext

from admin_config.admin.agents.tabs import fields_by_tab
from admin_config.admin.base import PublishingAdmin, draft_lock_for
from admin_config.errors import ReleaseInvalid, SettingsBusy
from admin_config.forms.shown_values import shown_values
from admin_config.models import AgentConfig, AppSettings
from admin_config.services.agent_history import draft_bar
from admin_config.services.agents.by_provider import ValuesByProvider, place_with_key, stored_text, value_in_words, values_by_provider
from admin_config.services.agents.value_texts import Place
from admin_config.services.changes.draft_authors import DraftChange, others_since
from tenants.admin import actor_of


@dataclass(frozen=True, slots=True)
class ValueForms:
    """The agent's form, and the rows of the value when it is not the agent's own field."""

    form: Any
    formsets: list[Any]
    bound: Any  # the value's field
    id: str  # of the element `form` that sends it (agent-value-editor.js)

    @property
    def all_forms(self) -> list[Any]:
        return [self.form, *(each for formset in self.formsets for each in (formset.management_form, *formset.forms))]

    @property
    def has_changed(self) -> bool:
        return bool(self.form.has_changed() or any(formset.has_changed() for formset in self.formsets))

    def problems(self) -> list[str]:
        """Return why it can't be saved. Errors of other fields, which contradict the value, come with their names."""
        return list(self._problems())

    def _problems(self) -> Iterator[str]:
        for form in (self.form, *(each for formset in self.formsets for each in formset.forms)):
            for name, texts in form.errors.items():
                is_own = name not in form.fields or form[name].html_name == self.bound.html_name
                yield from (text if is_own else f"{form[name].label}: {text}" for text in texts)
        yield from (text for formset in self.formsets for text in formset.non_form_errors())


@dataclass(slots=True)
class ValueEditor:
    """The value of one agent as the table edits it.

    `stored_text`: what the editor takes its row to have, as text to compare. `opened_at`: since when, in ISO format.
    """

    agent: AgentConfig
    base: AgentConfig
    place: Place
    stored_text: str
    forms: ValueForms
    opened_at: str
    problems: list[str] = field(default_factory=list)

    @property
    def bound(self) -> Any:
        return self.forms.bound

    @property
    def help(self) -> str:
        """What the field means, and what it means to leave it blank."""
        meaning = (self.place.model or AgentConfig)._meta.get_field(self.place.field)
        blank = gettext("Blank: the value for all providers, or else the platform's default.")
        return f"{getattr(meaning, 'help_text', '')} {blank}".strip()


class ValuePage(PublishingAdmin):
    """Adds the editor of a value to the pages of agents."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.value_view)
        return [path("<uuid:object_id>/value/", view, name="admin_config_agentconfig_value"), *super().get_urls()]

    def value_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Return the editor of the value `place`; by POST save it, and return its row of the table, or the editor with the reason."""
        busy = ""
        try:
            draft_lock_for(request)
        except SettingsBusy as error:
            busy = str(error)
        editor = self._editor(request, object_id)
        if request.method == "POST" and self._save(request, editor, busy):
            return self._saved_response(request, editor)
        return TemplateResponse(request, "admin/agents/agent_value_editor.html", {"editor": editor})

    def values_of(self, request: HttpRequest, base: AgentConfig, columns: Sequence[str] = ()) -> ValuesByProvider:
        """Return the table of a kind, with these columns if there are any. Seven queries."""
        return values_by_provider(base, fields_by_tab(self.get_fieldsets(request, base)), columns=columns)

    def _editor(self, request: HttpRequest, object_id: UUID) -> ValueEditor:
        """Raises Http404, also for what is not edited in the table."""
        agent = self.get_object(request, str(object_id))
        if agent is None or agent.is_base or not self.has_change_permission(request, agent):
            raise Http404
        form = self._form(request, agent)  # which gives the agent its base; one that an admin made has none
        fields = fields_by_tab(self.get_fieldsets(request, agent.base)) if agent.base is not None else {}
        place = place_with_key(agent.base, fields, request.GET.get("place", ""))
        if place is None or not place.fits_cell:
            raise Http404
        forms, opened_at = self._forms(request, form, place), timezone.now().isoformat()
        return ValueEditor(agent, agent.base, place, stored_text(agent, place), forms, opened_at)

    def _save(self, request: HttpRequest, editor: ValueEditor, busy: str) -> bool:
        """Save the value by the agent's form, unless it was changed since the editor was opened; return False with the problems in the editor.

        `busy`: why the settings could not be locked.
        """
        name, values = editor.bound.html_name, shown_values(*editor.forms.all_forms)
        values.setlist(name, request.POST.getlist(name))
        editor.forms = self._forms(request, self._form(request, editor.agent, values), editor.place, values)
        if busy:
            editor.problems = [busy]
            editor.stored_text, editor.opened_at = request.POST.get("stored", ""), request.POST.get("opened_at", "")  # not compared yet
            return False
        if request.POST.get("stored", "") != editor.stored_text:
            editor.problems = [_conflict_text(editor, self._changes_since(request, editor))]
            return False
        editor.problems = editor.forms.problems()
        if editor.problems or not editor.forms.has_changed:
            return not editor.problems
        try:
            with transaction.atomic():
                self._write(request, editor.forms)
        except ReleaseInvalid as error:
            editor.problems = [problem.text for problem in error.problems]
        return not editor.problems

    def _changes_since(self, request: HttpRequest, editor: ValueEditor) -> list[DraftChange]:
        """Return what others changed of the agent since the editor was opened, newest first."""
        return others_since(editor.agent.pk, opened_at=request.POST.get("opened_at", ""), person_id=actor_of(request).user_id)

    def _write(self, request: HttpRequest, forms: ValueForms) -> None:
        """Save as the agent's page does: in the same order, with its publication and its event of the audit log."""
        agent = self.save_form(request, forms.form, change=True)
        self.save_model(request, agent, forms.form, change=True)
        self.save_related(request, forms.form, forms.formsets, change=True)
        self.log_change(request, agent, self.construct_change_message(request, forms.form, forms.formsets))

    def _saved_response(self, request: HttpRequest, editor: ValueEditor) -> HttpResponse:
        base = AgentConfig.objects.get(pk=editor.base.pk)
        values = self.values_of(request, base, request.POST.getlist("column"))
        context = {
            "by_provider": values,
            "row": values.row(editor.place.key),
            "original": base,
            "message_texts": [str(message) for message in messages.get_messages(request)],
            "draft_bar": None if AppSettings.objects.get().publish_on_save else draft_bar(),
        }
        return TemplateResponse(request, "admin/agents/agent_value_saved.html", context)

    def _form(self, request: HttpRequest, agent: AgentConfig, values: QueryDict | None = None) -> Any:
        return self.get_form(request, agent, change=True)(values, instance=agent, auto_id=_ids(agent))

    def _forms(self, request: HttpRequest, form: Any, place: Place, values: QueryDict | None = None) -> ValueForms:
        """Return the agent's form with the rows of the place, which get these values. Raises Http404 when the agent has no such field."""
        agent = form.instance
        formsets = [
            formset(values, instance=agent, prefix=place.prefix, queryset=inline.get_queryset(request), auto_id=_ids(agent))
            for formset, inline in self.get_formsets_with_inlines(request, agent)
            if formset.get_default_prefix() == place.prefix
        ]
        holders = [row for formset in formsets for row in formset.forms if row.instance.name == place.part] if place.prefix else [form]
        if not holders or place.field not in holders[0].fields:
            raise Http404
        bound_field = holders[0][place.field]
        bound_field.field.widget.attrs["form"] = form_id = f"form-{bound_field.id_for_label}"
        return ValueForms(form, formsets, bound_field, form_id)


def _ids(agent: AgentConfig) -> str:
    """Return the pattern of ids: several agents' values are edited in one page."""
    return f"value-{agent.pk}-%s"


def _conflict_text(editor: ValueEditor, changes: Sequence[DraftChange]) -> str:
    """Return what the value is now, and who changed it so, as far as that is known. `changes`: newest first."""
    who = next((change.who for change in changes if _may_have_changed(change, editor.place)), "")
    now = value_in_words(editor.agent, editor.place)
    words = gettext("%(who)s changed it to %(value)s meanwhile.") if who else gettext("It was changed to %(value)s meanwhile.")
    return f"{words % {'who': who, 'value': now}} {gettext('Save again to put yours over it.')}"


def _may_have_changed(change: DraftChange, place: Place) -> bool:
    """Events of copies and of imported files have no names of fields."""
    if not change.names:
        return True
    return any(name.endswith(f" {place.part}: {place.field}") if place.prefix else name == place.field for name in change.names)
