"""Forms of a case and of what is expected of its answer."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from admin_config.forms.base import TenantForm
from evaluations.graders.kinds import expected_problem
from evaluations.interchange.cases import MAX_TEXT_CHARS, CaseContent, case_problem, earlier_as_text, earlier_from_text, name_of
from evaluations.models import Case, DataSet, Expectation
from evaluations.services.cases import check_room
from tenants.errors import BadRequest


class CaseForm(TenantForm[Case]):
    """A case as a question, with what was said before it."""

    data_set = forms.ModelChoiceField(
        DataSet.objects.none(),
        label=gettext_lazy("Data set"),
        widget=forms.HiddenInput,
        error_messages=dict.fromkeys(("required", "invalid_choice"), gettext_lazy("It is gone. Open this page again from a data set.")),
    )
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=120,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy("Blank: the beginning of the question."),
    )
    question = forms.CharField(
        label=gettext_lazy("Question"), max_length=MAX_TEXT_CHARS, strip=False, widget=UnfoldAdminTextareaWidget(attrs={"rows": 4})
    )
    earlier = forms.CharField(
        label=gettext_lazy("Earlier messages"),
        required=False,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
        help_text=gettext_lazy(
            "Blank: the question begins the conversation. Begin each message on a new line with “User:” or “Assistant:”."
        ),
    )

    class Meta:
        model = Case
        fields = ("data_set", "name", "marked", "recorded_tools")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["data_set"]
        field.queryset = DataSet.objects.all()
        if not self.instance.tool_results:
            self.fields.pop("recorded_tools", None)
        if self.instance.messages:
            self.initial["question"] = self.instance.messages[-1]["text"]
            self.initial["earlier"] = earlier_as_text(self.instance.messages[:-1])

    def clean_earlier(self) -> list[dict[str, str]]:
        try:
            return earlier_from_text(self.cleaned_data["earlier"].replace("\x00", ""))
        except BadRequest as error:
            raise forms.ValidationError(str(error)) from error

    def clean(self) -> dict[str, Any] | None:
        cleaned_data = super().clean()
        if self.errors:
            return cleaned_data
        question = self.cleaned_data["question"].replace("\x00", "").replace("\r\n", "\n")
        messages = [*self.cleaned_data["earlier"], {"role": "user", "text": question}]
        self.cleaned_data["name"] = name_of(self.cleaned_data["name"], question)
        if problem := case_problem(CaseContent(name=self.cleaned_data["name"], messages=messages)):
            raise forms.ValidationError(problem)
        if not self.initial.get("question"):  # a new one
            self._check_room()
        self.instance.messages = messages
        return cleaned_data

    def _check_room(self) -> None:
        try:
            check_room(self.cleaned_data["data_set"], 1)
        except BadRequest as error:
            raise forms.ValidationError(str(error)) from error


class ExpectationForm(TenantForm[Expectation]):
    """A check of an answer."""

    class Meta:
        model = Expectation
        fields = ("kind", "value", "detail")
        widgets = {
            "value": UnfoldAdminTextareaWidget(attrs={"rows": 2, "spellcheck": "false"}),
            "detail": UnfoldAdminTextInputWidget(attrs={"spellcheck": "false"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():  # the columns' headings are no labels
            field.widget.attrs["aria-label"] = str(field.label).capitalize()

    def clean(self) -> dict[str, Any] | None:
        cleaned_data = super().clean()
        if self.errors or self.cleaned_data.get("DELETE"):
            return cleaned_data
        row = Expectation(**{name: self.cleaned_data[name].replace("\r\n", "\n") for name in ("kind", "value", "detail")})
        if problem := expected_problem(row.expected):
            self.add_error("value", problem)
        return cleaned_data
