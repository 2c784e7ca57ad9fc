"""Request overrides: instructions and settings that an API caller gives for one answer (docs/api.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from agents.engine.agent import AgentSpec
from agents.messages import ModelSettings, SystemPrompt


class RequestOverrides(BaseModel):
    """Overrides of the agent's configuration; None or empty keeps what is configured.

    Stored with the run, so that a process that takes it over applies them too.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    instructions: str = ""
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    stop_sequences: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the overrides as JSON; empty when nothing is overridden."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def apply_to_agent(self, spec: AgentSpec) -> AgentSpec:
        """Return the agent with these overrides. The admin's limit of output tokens and the step rules still take precedence."""
        return replace(spec, system=self.apply_to_prompt(spec.system), settings=self.apply_to_settings(spec.settings))

    def apply_to_prompt(self, system: SystemPrompt) -> SystemPrompt:
        """Return the prompt with the instructions after the agent's own prompt."""
        if not self.instructions:
            return system
        return replace(system, changing="\n\n".join(part for part in (system.changing, self.instructions) if part))

    def apply_to_settings(self, settings: ModelSettings) -> ModelSettings:
        overridden = self.model_dump(exclude={"instructions", "max_output_tokens", "stop_sequences"}, exclude_none=True)
        limits = [limit for limit in (self.max_output_tokens, settings.max_output_tokens) if limit is not None]
        stops = self.stop_sequences or settings.stop_sequences
        return replace(settings, **overridden, max_output_tokens=min(limits, default=None), stop_sequences=stops)


NO_OVERRIDES = RequestOverrides()
