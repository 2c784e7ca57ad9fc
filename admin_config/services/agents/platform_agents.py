"""The platform's defaults of a kind in the shape of a release, below an organization's base and its providers' agents (SPEC 4.15)."""

from __future__ import annotations

from collections.abc import Mapping

from admin_config.defaults.kinds import KindDefaults
from admin_config.defaults.platform import ALL_PROVIDERS, KINDS, agent_key
from admin_config.release import AgentSnapshot, OperationSnapshot, SectionSnapshot


def kinds_with_base() -> list[str]:
    """Return the kinds that every provider has, in their order."""
    return [kind for kind, defaults in KINDS.items() if not defaults.is_custom]


def platform_agent(kind: str, defaults: KindDefaults) -> AgentSnapshot:
    """Return what holds for the agents of this kind where an organization sets nothing."""
    return AgentSnapshot(
        key=agent_key(kind, ALL_PROVIDERS),
        kind=kind,
        provider=ALL_PROVIDERS,
        is_enabled=True,
        model_id=None,
        system_prompt=defaults.system_prompt,
        description=defaults.description,
        temperature=defaults.temperature,
        max_output_tokens=defaults.max_output_tokens,
        max_steps=defaults.max_steps,
        thinking_budget=defaults.thinking_budget,
        operations={
            part.name: OperationSnapshot(
                name=part.name, is_enabled=part.is_enabled, system_prompt=part.system_prompt, user_prompt_template=part.user_prompt_template
            )
            for part in defaults.operations
        },
        sections={part.name: SectionSnapshot(is_enabled=part.is_enabled, text=part.text) for part in defaults.sections},
        plugins=(),
        **dict(defaults.options),
    )


def base_of(kind: str, bases: Mapping[str, AgentSnapshot]) -> AgentSnapshot:
    """Return what a release says for all providers. It lists only bases that differ from the code's defaults.

    So a release needs no other row to be read: what the platform's operator set at that time is in the bases.
    """
    return bases.get(agent_key(kind, ALL_PROVIDERS)) or platform_agent(kind, KINDS[kind])
