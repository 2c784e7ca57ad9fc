"""The tabs of an agent's page: which group of fields and which inline stands on which tab, and where its errors are (design 41, 41b)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.admin.utils import flatten
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import AgentOperation, AgentPlugin, AgentTool, PromptSection, StepRule

TAB_PREFIX = "on-"  # of a fieldset's class that names its tab
TABS: Mapping[str, str | Promise] = {
    "prompt": gettext_lazy("Prompt"),
    "model": gettext_lazy("Model"),
    "tools": gettext_lazy("Tools"),
    "sub-agents": gettext_lazy("Sub-agents"),
    "limits": gettext_lazy("Limits"),
    "plugins": gettext_lazy("Plugins"),
    "providers": gettext_lazy("By provider"),
    "try": gettext_lazy("Try it"),
    "evaluations": gettext_lazy("Evaluations"),
    "history": gettext_lazy("History"),
}
ALWAYS_SHOWN = frozenset({"providers", "try", "evaluations", "history"})
_TAB_OF_ROWS = {AgentOperation: "prompt", PromptSection: "prompt", StepRule: "limits", AgentPlugin: "plugins", AgentTool: "tools"}


@dataclass(frozen=True, slots=True)
class PageError:
    """An error of a refused save. `target`: the id of the field, or of the group of rows, that it belongs to; empty: the whole form."""

    tab: str
    place: str
    target: str
    text: str


@dataclass(slots=True)
class Tab:
    """A tab with what stands on it."""

    name: str
    label: str | Promise
    fieldsets: list[Any] = field(default_factory=list)
    inlines: list[Any] = field(default_factory=list)
    count: int | None = None  # of its rows, or of its own texts
    errors: list[PageError] = field(default_factory=list)

    @property
    def field_names(self) -> list[str]:
        return [name for fieldset in self.fieldsets for line in fieldset for name in _names(line)]


def agent_tabs(adminform: Any, inlines: Sequence[Any]) -> list[Tab]:
    """Return the tabs that have something on them, in order."""
    tabs = {name: Tab(name, label) for name, label in TABS.items()}
    for fieldset in adminform:
        tabs[_tab_of_fieldset(fieldset)].fieldsets.append(fieldset)
    for inline in inlines:
        tabs[_tab_of_inline(inline)].inlines.append(inline)
    for error in page_errors(adminform, inlines):
        tabs[error.tab].errors.append(error)
    for tab in tabs.values():
        tab.count = _count(tab)
    return [tab for tab in tabs.values() if tab.fieldsets or tab.inlines or tab.name in ALWAYS_SHOWN]


def fields_by_tab(fieldsets: Sequence[Any]) -> dict[str, tuple[str, list[str]]]:
    """Return the names of the fields on each tab after its label, in the order of the tabs. `fieldsets`: as an admin class has them."""
    tabs: dict[str, tuple[str, list[str]]] = {name: (str(label), []) for name, label in TABS.items()}
    for _, options in fieldsets:
        tabs[_tab_of_classes(options["classes"])][1].extend(flatten(options["fields"]))
    return tabs


def page_errors(adminform: Any, inlines: Sequence[Any]) -> Iterator[PageError]:
    """Yield every error of the page's form and its rows, in the order of the page."""
    form = adminform.form
    tab_of_field = {name: _tab_of_fieldset(fieldset) for fieldset in adminform for line in fieldset for name in _names(line)}
    for text in form.non_field_errors():
        yield PageError("prompt", gettext("Configuration"), "", text)
    for name, texts in form.errors.items():
        if name in form.fields:
            bound_field, tab = form[name], tab_of_field.get(name, "prompt")
            yield from (PageError(tab, str(bound_field.label), bound_field.auto_id, text) for text in texts)
    for inline in inlines:
        yield from _row_errors(inline)


def _row_errors(inline: Any) -> Iterator[PageError]:
    tab, formset = _tab_of_inline(inline), inline.formset
    heading = str(inline.opts.verbose_name_plural).capitalize()
    for text in formset.non_form_errors():
        yield PageError(tab, heading, f"{formset.prefix}-group", text)
    for form in formset.forms:
        row = getattr(form.instance, "get_inline_title", lambda form=form: str(form.instance))() if form.instance.pk else heading
        for text in form.non_field_errors():
            yield PageError(tab, row, f"{formset.prefix}-group", text)
        for name, texts in form.errors.items():
            if name in form.fields and name != formset.id_name:  # RowsFormSet says it above the rows
                yield from (PageError(tab, f"{row}, {form[name].label}", form[name].auto_id, text) for text in texts)


def _names(line: Any) -> Iterator[str]:
    yield from (str(one) for one in line.fields)


def _tab_of_fieldset(fieldset: Any) -> str:
    return _tab_of_classes(fieldset.classes.split())


def _tab_of_classes(classes: Iterable[str]) -> str:
    return next((name.removeprefix(TAB_PREFIX) for name in classes if name.startswith(TAB_PREFIX)), "prompt")


def _tab_of_inline(inline: Any) -> str:
    if inline.opts.verbose_name == "sub-agent":
        return "sub-agents"
    return _TAB_OF_ROWS[inline.opts.model]


def _count(tab: Tab) -> int | None:
    """Return how many rows the tab has; of a prompt, how many texts are the organization's own."""
    rows = [form.instance for inline in tab.inlines for form in inline.formset.forms if form.instance.pk]
    match tab.name:
        case "prompt":
            return sum(isinstance(row, PromptSection) and row.is_changed for row in rows) or None
        case "tools" | "sub-agents":
            return len(rows) or None
        case _:
            return None
