"""Forms of limits and budgets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final, TypeVar
from uuid import UUID

from django import forms
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from admin_config.defaults.platform import CUSTOM_AGENT, KINDS, agent_label
from admin_config.forms.base import TenantForm
from admin_config.models import AgentConfig, Assistant
from limits.models import EMBED_SCOPES, GROUP_SCOPES, NUMBERS, Budget, RateLimit, Scope, ScopedModel, WindowedLimit
from tenants.models import MemberGroup, Membership

Row = TypeVar("Row", bound=ScopedModel)


SENDING_ROLES = {Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.MEMBER, Membership.Role.VISITOR}


def agent_choices() -> list[tuple[str, str]]:
    """Return the agents that a limit can be for, each once for all providers: the platform's and the organization's own. One statement."""
    own = AgentConfig.objects.filter(kind=CUSTOM_AGENT, assistants=None).order_by("name").values_list("name", flat=True).distinct()
    names = [*(kind for kind in KINDS if kind != CUSTOM_AGENT), *own]
    return [(f"{Scope.AGENT}:{name}", agent_label(name)) for name in names]


def holder_choices(groups: Sequence[MemberGroup]) -> list[Any]:
    """Return whom a limit or a budget can be for, under headings. `groups`: the organization's."""
    people = Membership.objects.of_members().filter(is_active=True).select_related("user").order_by("user__name", "user__email")
    assistants = Assistant.objects.select_related("agent").order_by("title")
    site_model: Any = RateLimit._meta.get_field("embed_site").remote_field.model  # of an app above this one
    sites = site_model.objects.order_by("name")
    return [
        (Scope.EACH_MEMBER, Scope.EACH_MEMBER.label),
        (Scope.ORGANIZATION, Scope.ORGANIZATION.label),
        (Scope.EACH_TOKEN, Scope.EACH_TOKEN.label),
        (
            gettext("Roles"),
            [
                (f"role:{role}", gettext("Each %(label)s") % {"label": label.lower()})
                for role, label in Membership.Role.choices
                if role in SENDING_ROLES
            ],
        ),
        (
            gettext("Groups"),
            [(f"group:{group.pk}", gettext("Each member of %(group)s") % {"group": group}) for group in groups],
        ),
        (gettext("Members"), [(f"member:{member.pk}", str(member.user)) for member in people]),
        (gettext("Assistants"), [(f"assistant:{assistant.pk}", str(assistant)) for assistant in assistants]),
        (gettext("Embedded chats"), [(f"{scope}:{site.pk}", f"{site}: {scope.label}") for site in sites for scope in EMBED_SCOPES]),
    ]


class HolderForm(TenantForm[Row]):
    """Whom a row is for is one choice, made once: another one is another row."""

    holder = forms.ChoiceField(label=gettext_lazy("For"), widget=UnfoldAdminSelectWidget)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if kwargs.get("instance") is None:
            field: Any = self.fields["holder"]
            field.choices = self.holders(list(MemberGroup.objects.order_by("name")))
        else:
            del self.fields["holder"]

    def holders(self, groups: Sequence[MemberGroup]) -> list[Any]:
        """Return the choices of whom the row is for."""
        return holder_choices(groups)

    def _post_clean(self) -> None:
        """Set what the choice stands for, before the row's own checks."""
        kind, _, value = self.cleaned_data.get("holder", "").partition(":")
        if kind:
            row = self.instance
            row.scope = Scope(kind)
            row.role = value if kind == Scope.ROLE else ""
            row.group_id = UUID(value) if kind in GROUP_SCOPES else None
            row.membership_id = UUID(value) if kind == Scope.MEMBER else None
            row.assistant_id = UUID(value) if kind == Scope.ASSISTANT else None
            row.embed_site_id = UUID(value) if kind in EMBED_SCOPES else None
        super()._post_clean()  # type: ignore[misc]

    def _get_validation_exclusions(self) -> set[str]:
        """Check the row's uniqueness as soon as it is known whom it is for."""
        is_known = "holder" not in self.fields or "holder" in self.cleaned_data
        return super()._get_validation_exclusions() - (
            {"scope", "role", "group", "membership", "assistant", "embed_site", "agent", "from_plan"} if is_known else set()
        )


def numbers_show_whole(form: forms.ModelForm[Any]) -> None:
    """Let a form of limits.models.WindowedLimit show whole numbers as such: the column has cents, too."""
    for name in NUMBERS:
        number = form.initial.get(name)
        if number is not None and number == number.to_integral_value():
            form.initial[name] = number.to_integral_value()


def numbers_check(form: forms.ModelForm[Any]) -> None:
    """Add an error to a form of limits.models.WindowedLimit that has none of them, or parts of what is counted in whole ones."""
    numbers = {name: form.cleaned_data.get(name) for name in NUMBERS}
    if form.cleaned_data.get("measure", form.instance.measure) != WindowedLimit.Measure.COST:
        for name, number in numbers.items():
            if number is not None and number != number.to_integral_value():
                form.add_error(name, gettext("Enter a whole number."))
    if not form.errors and all(number is None for number in numbers.values()):
        form.add_error("per_hour", gettext("Fill in at least one number. 0 blocks every message."))


class RateLimitForm(HolderForm[RateLimit]):
    class Meta:
        model = RateLimit
        fields = ("measure", *NUMBERS, "when_away", "last_day", "reason")
        help_texts: ClassVar = {
            "per_minute": gettext_lazy("Fill in one period or several. Blank: no limit for it."),
            "last_day": gettext_lazy("Applies up to this day (UTC). Leave empty for no end. A limit for one member needs a last day."),
            "reason": gettext_lazy("For other admins, and for the audit log. A limit for one member needs a reason."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        numbers_show_whole(self)

    def holders(self, groups: Sequence[MemberGroup]) -> list[Any]:
        return [*super().holders(groups), (gettext("Agents"), agent_choices())]

    def _post_clean(self) -> None:
        kind, _, value = self.cleaned_data.get("holder", "").partition(":")
        if kind:
            self.instance.agent = value if kind == Scope.AGENT else ""
        super()._post_clean()

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        is_for_agent = self.cleaned_data.get("holder", "").startswith(f"{Scope.AGENT}:")
        if is_for_agent and self.cleaned_data.get("measure") == WindowedLimit.Measure.MESSAGES:
            self.add_error(
                "measure", gettext("Messages are counted for who sends them. For an agent, count answers, tokens or US dollars.")
            )
        numbers_check(self)
        self._exception_check()
        return cleaned

    def _exception_check(self) -> None:
        """Add an error to a limit for one member without an end or a reason. One that was saved without them can stay so."""
        holder = self.cleaned_data.get("holder", self.instance.scope)
        if holder.partition(":")[0] != Scope.MEMBER:
            return
        is_new = "holder" in self.fields
        for name, message in _REQUIRED_MESSAGES.items():
            if name not in self.errors and not self.cleaned_data.get(name) and (is_new or self.initial.get(name)):
                self.add_error(name, message)


_REQUIRED_MESSAGES: Final = {
    "last_day": gettext_lazy("A limit for one member is an exception, which ends: enter its last day."),
    "reason": gettext_lazy("A limit for one member is an exception: say why there is one."),
}


class PercentsField(forms.Field):
    """Whole numbers in one line, such as "50, 80, 95". Returns them as a list in ascending order; the model's field checks them."""

    widget = UnfoldAdminTextInputWidget

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[int]:
        words = [word for word in re.split(r"[\s,;%]+", value or "") if word]
        if not all(re.fullmatch(r"[0-9]{1,4}", word) for word in words):
            raise forms.ValidationError(gettext("Enter whole numbers with commas between them, such as 50, 80, 95."))
        return sorted(map(int, words))

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.to_python(data) != list(initial or []))
        except forms.ValidationError:
            return True


def percents_field() -> PercentsField:
    """Return the field of a budget's alerts, with the label and the help of its column."""
    column: Any = Budget._meta.get_field("alert_percents")
    return PercentsField(label=gettext_lazy("Alert at percent"), help_text=column.help_text, initial=column.get_default)


class BudgetForm(HolderForm[Budget]):
    alert_percents = percents_field()

    class Meta:
        model = Budget
        fields = ("period", "amount_usd", "alert_percents", "is_active", "last_day", "reason")

    def holders(self, groups: Sequence[MemberGroup]) -> list[Any]:
        together = [(f"{Scope.ALL_OF_GROUP}:{group.pk}", gettext("%(group)s together") % {"group": group}) for group in groups]
        return [*super().holders(groups), (gettext("Groups as a whole"), together)]
