"""What an admin chooses for a replay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import ModelConfig
from agents.messages import ToolDefinition
from evaluations.admin.replay_tools import ToolFields, bound_tools, changed_tools, tool_fields
from evaluations.models import Replay
from evaluations.replays.starting import MAX_RUNS, ReplayRequest

MAX_PROMPT_CHARS = 100_000


def _model_choices() -> list[tuple[str, str]]:
    """Return (id, name) of the models that are switched on, after none. One query."""
    rows = ModelConfig.objects.filter(is_enabled=True).order_by("provider", "display_name")
    return [("", gettext("As recorded")), *((str(model.pk), f"{model.display_name} ({model.get_provider_display()})") for model in rows)]


class ReplayForm(forms.Form):
    """The changes of a replay. `recorded_prompt`: the own prompt of the agent that answered; None: no prompt is offered.

    `recorded_tools`: whose words may be changed.
    """

    source = forms.ChoiceField(label=gettext_lazy("Release"), choices=Replay.Source.choices, initial=Replay.Source.DRAFT)
    release_number = forms.IntegerField(label=gettext_lazy("Number of another release"), min_value=1, max_value=99_999_999, required=False)
    model = forms.ChoiceField(label=gettext_lazy("Model"), required=False, choices=_model_choices)
    prompt = forms.CharField(
        label=gettext_lazy("Prompt"),
        required=False,
        strip=False,
        max_length=MAX_PROMPT_CHARS,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
    )
    looks_up = forms.BooleanField(label=gettext_lazy("Look things up when they were not recorded"), required=False)
    count = forms.IntegerField(label=gettext_lazy("Runs at most"), min_value=1, max_value=MAX_RUNS, initial=100)
    max_cost_usd = forms.FloatField(label=gettext_lazy("Budget (US $)"), min_value=0.0001, max_value=100_000, required=False)

    def __init__(
        self,
        *args: Any,
        recorded_prompt: str | None = None,
        recorded_tools: Sequence[ToolDefinition] = (),
        is_for_many: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._recorded_prompt, self._recorded_tools = recorded_prompt, recorded_tools
        self.fields.update(tool_fields(recorded_tools))
        self.fields["prompt"].initial = recorded_prompt
        for name in [*([] if is_for_many else ["count", "max_cost_usd"]), *(["prompt"] if recorded_prompt is None else [])]:
            del self.fields[name]

    def clean(self) -> dict[str, Any]:
        cleaned_data: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned_data.get("source") == Replay.Source.OTHER and not cleaned_data.get("release_number"):
            self.add_error("release_number", gettext("Enter the release's number."))
        return cleaned_data

    @property
    def choices(self) -> list[forms.BoundField]:
        """The fields that stand in a row."""
        return [self[name] for name in ("source", "release_number", "model", "count", "max_cost_usd") if name in self.fields]

    @property
    def tools(self) -> list[ToolFields]:
        return list(bound_tools(self, self._recorded_tools))

    @property
    def replay_request(self) -> ReplayRequest:
        """What was chosen, of a valid form. A prompt that was left as it was recorded changes nothing."""
        cleaned_data = self.cleaned_data
        prompt = cleaned_data["prompt"].replace("\r\n", "\n") if "prompt" in cleaned_data else None
        is_changed = prompt is not None and prompt.strip() != (self._recorded_prompt or "").strip()
        return ReplayRequest(
            source=Replay.Source(cleaned_data["source"]),
            release_number=cleaned_data["release_number"],
            model_config_id=UUID(cleaned_data["model"]) if cleaned_data["model"] else None,
            prompt=prompt if is_changed else None,
            tool_definitions=changed_tools(cleaned_data, self._recorded_tools),
            looks_up=cleaned_data["looks_up"],
            max_cost_usd=cleaned_data.get("max_cost_usd"),
        )
