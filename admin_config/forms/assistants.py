"""Form of an assistant: the assistant's own fields, and those of its agent that most of them need (SPEC 4.14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminFileFieldWidget,
    UnfoldAdminRadioSelectWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from admin_config.defaults.platform import DEMO_WIRES, KINDS, PROVIDERS
from admin_config.forms.base import ConfigForm
from admin_config.models import AgentConfig, AppSettings, Assistant, ModelConfig, ToolSource
from admin_config.models.assistants import MAX_STARTER_TEXT_CHARS, MAX_STARTER_TITLE_CHARS, MAX_STARTERS, WRITER_ROLES
from admin_config.services.agents.assistants import KNOWLEDGE, AssistantParts, assistant_save, default_description
from admin_config.services.agents.bases import agents_on
from admin_config.services.seeding import DEFAULT_TOOLS
from admin_config.validation.lengths import MAX_DESCRIPTION_CHARS, MAX_PROMPT_CHARS, LengthLimit
from tenants.errors import BadRequest
from tenants.input.pictures import Picture, picture_read
from tenants.models import MemberGroup

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

STARTER_ROWS = tuple((f"starter_{number}_title", f"starter_{number}_text") for number in range(1, MAX_STARTERS + 1))
PROMPT_HELP = gettext_lazy(
    "Who it is, what it does, how it answers, and what it leaves to others. How answers look and how tools are used is added."
)
CALL_HELP = gettext_lazy("For what other agents should use it, and what they must tell it. Blank: its name and description.")
ROLES = [(role.value, role.label) for role in WRITER_ROLES]


def _starter_fields() -> dict[str, forms.Field]:
    """Return a title and a text for each starter."""
    fields: dict[str, forms.Field] = {}
    for number, (title, text) in enumerate(STARTER_ROWS, start=1):
        fields[title] = forms.CharField(
            label=format_lazy(gettext_lazy("Starter {number}"), number=number),
            required=False,
            max_length=MAX_STARTER_TITLE_CHARS,
            widget=UnfoldAdminTextInputWidget(),
        )
        fields[text] = forms.CharField(
            label=gettext_lazy("Message"),
            required=False,
            max_length=MAX_STARTER_TEXT_CHARS,
            widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
        )
    return fields


_StarterFields: Any = type("_StarterFields", (forms.Form,), _starter_fields())


class SourceChoices(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """A check box for each source of tools, by its plain name."""

    def label_from_instance(self, obj: Any) -> str:
        return str(obj.name)


class ModelChoices(forms.ModelChoiceField):  # type: ignore[type-arg]
    """Models by provider and name."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{PROVIDERS[obj.provider].label}: {obj.display_name}"


def _checkboxes(queryset: Any, label: StrOrPromise, help_text: StrOrPromise = "", kind: type[Any] = forms.ModelMultipleChoiceField) -> Any:
    return kind(label=label, queryset=queryset, required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget, help_text=help_text)


class AssistantForm(_StarterFields, ConfigForm[Assistant]):  # type: ignore[misc]  # made of as many fields as there are starters
    """An assistant with its agent's prompt, model and tools."""

    new_picture = forms.FileField(
        label=gettext_lazy("Picture"),
        required=False,
        widget=UnfoldAdminFileFieldWidget,
        help_text=gettext_lazy("A square picture, at most 2 MB. Without one, its first letter stands."),
    )
    remove_picture = forms.BooleanField(label=gettext_lazy("Remove picture"), required=False, widget=UnfoldBooleanSwitchWidget)
    prompt = forms.CharField(
        label=gettext_lazy("Instructions"),
        required=False,
        validators=[LengthLimit("instructions", MAX_PROMPT_CHARS)],
        widget=UnfoldAdminTextareaWidget(attrs={"class": "prompt", "rows": 12}),
        help_text=PROMPT_HELP,
    )
    fixed_model = ModelChoices(
        label=gettext_lazy("Its model"),
        queryset=ModelConfig.objects.none(),
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("Always used, or to begin with where the member chooses."),
    )
    tools = _checkboxes(ToolSource.objects.none(), gettext_lazy("Tools"), kind=SourceChoices)
    knowledge = _checkboxes(
        ToolSource.objects.none(),
        gettext_lazy("Knowledge files"),
        gettext_lazy("Folders of files that it can search and read."),
        SourceChoices,
    )
    sub_agents = _checkboxes(AgentConfig.objects.none(), gettext_lazy("Sub-agents"))
    chosen_roles = forms.MultipleChoiceField(
        label=gettext_lazy("Roles"), required=False, choices=ROLES, widget=UnfoldAdminCheckboxSelectMultipleWidget
    )
    chosen_groups = _checkboxes(MemberGroup.objects.none(), gettext_lazy("Groups"), gettext_lazy("Groups are made on the page of members."))
    call_description = forms.CharField(
        label=gettext_lazy("Description for other agents"),
        required=False,
        validators=[LengthLimit("description", MAX_DESCRIPTION_CHARS)],
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=CALL_HELP,
    )

    class Meta:
        model = Assistant
        fields = ("is_offered", "title", "description", "model_choice", "audience", "for_agents", "position")
        widgets = {"model_choice": UnfoldAdminRadioSelectWidget, "audience": UnfoldAdminRadioSelectWidget}

    existing_agent: ClassVar[AgentConfig | None] = None  # which a new assistant is made of; None: a new one

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.existing_agent is not None and self.instance.agent_or_none is None:
            self.instance.agent, self.initial["for_agents"] = self.existing_agent, True
        agent = self.instance.agent_or_none
        self._show_choices(agent)
        self.initial.update(self._of_agent(agent) if agent else self._of_new())
        self.initial.update(chosen_roles=self.instance.roles, chosen_groups=self.instance.groups)
        for (title, text), starter in zip(STARTER_ROWS, self.instance.starters, strict=False):
            self.initial.update({title: starter["title"], text: starter["text"]})
        if self.instance.picture_id is None:
            self.fields["remove_picture"].widget = forms.HiddenInput()

    def _show_choices(self, agent: AgentConfig | None) -> None:
        fields: Any = self.fields
        current = AppSettings.objects.get()
        providers = [agent.provider] if agent else [current.active_provider, *current.offered_providers]
        sources = ToolSource.objects.filter(is_enabled=True).order_by("name")
        fields["fixed_model"].queryset = ModelConfig.objects.filter(is_enabled=True, provider__in=providers).order_by(
            "provider", "display_name"
        )
        fields["fixed_model"].empty_label = gettext("Default of %(label)s") % {"label": PROVIDERS[providers[0]].label}
        fields["tools"].queryset = sources.exclude(kind=KNOWLEDGE)
        fields["knowledge"].queryset = sources.filter(kind=KNOWLEDGE)
        if not fields["knowledge"].queryset.exists():
            fields["knowledge"].help_text = gettext("There is no folder yet. Add one under Tools, then upload files under Knowledge files.")
        fields["sub_agents"].queryset = _callable(providers, agent)
        fields["chosen_groups"].queryset = MemberGroup.objects.order_by("name")

    def _of_agent(self, agent: AgentConfig) -> dict[str, Any]:
        tools = list(agent.tools.all())
        sources = [tool.source_id for tool in tools if tool.source_id]
        return {
            "prompt": agent.system_prompt,
            "fixed_model": agent.model_id,
            "call_description": "" if agent.description == default_description(self.instance) else agent.description,
            "tools": sources,
            "knowledge": sources,
            "sub_agents": [tool.sub_agent_id for tool in tools if tool.sub_agent_id],
        }

    def _of_new(self) -> dict[str, Any]:
        """Offer what chats have from the start, except what needs another site's account."""
        sources = ToolSource.objects.filter(kind__in=DEFAULT_TOOLS, is_enabled=True)
        return {"tools": [source.pk for source in sources]}

    def clean_title(self) -> str:
        title = str(self.cleaned_data["title"])
        if Assistant.objects.filter(title__iexact=title).exclude(pk=self.instance.pk).exists():
            raise ValidationError(gettext("There is an assistant named %(title)s already.") % {"title": title})
        return title

    def clean_new_picture(self) -> Picture | None:
        upload = self.cleaned_data.get("new_picture")
        if not upload:
            return None
        try:
            return picture_read(upload.read())
        except BadRequest as error:
            raise ValidationError(error.message) from None

    def clean(self) -> dict[str, Any] | None:
        cleaned: dict[str, Any] | None = super().clean()
        data = self.cleaned_data
        starters = []
        for title, text in STARTER_ROWS:
            starter = (data.get(title, "").strip(), data.get(text, "").strip())
            if any(starter) and not all(starter) and not {title, text} & self.errors.keys():
                self.add_error(title if starter[1] else text, gettext("A starter needs a title and a message."))
            if all(starter):
                starters.append({"title": starter[0], "text": starter[1]})
        is_chosen = data.get("audience") == Assistant.Audience.CHOSEN
        self.instance.starters = starters
        self.instance.roles = data.get("chosen_roles", []) if is_chosen else []
        self.instance.groups = [str(group.pk) for group in data.get("chosen_groups", ())] if is_chosen else []
        return cleaned

    def save_row(self, row: Assistant) -> None:
        data = self.cleaned_data
        parts = AssistantParts(
            prompt=data["prompt"],
            call_description=data["call_description"],
            model=data["fixed_model"],
            sources=[*data["tools"], *data["knowledge"]],
            sub_agents=list(data["sub_agents"]),
            picture=data["new_picture"],
            without_picture=data["remove_picture"],
        )
        assistant_save(row, parts)


def _callable(providers: list[str], agent: AgentConfig | None) -> Any:
    """Return the agents that an assistant may call: the platform's of these providers, and custom ones."""
    kinds = [kind for kind, defaults in KINDS.items() if defaults.is_sub_agent]
    custom = [kind for kind in kinds if KINDS[kind].is_custom]
    agents = agents_on(AgentConfig.objects.filter(kind__in=kinds)).exclude(assistants__for_agents=False)
    if agent is not None:
        agents = agents.exclude(pk=agent.pk)
    own = agents.filter(provider__in=providers) | agents.filter(kind__in=custom).exclude(provider__in=DEMO_WIRES)
    return own.distinct().order_by("provider", "kind", "name")
