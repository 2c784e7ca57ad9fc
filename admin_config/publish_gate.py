"""Conditions that a draft has to meet before it goes live. Apps above register them here, because this layer may not import them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from admin_config.release import ReleaseSnapshot

Gate = Callable[[ReleaseSnapshot], Sequence[str]]
"""Returns why the release may not go live, each reason as a sentence. Needs the organization's `tenant_tx`."""

_gates: list[Gate] = []


def gate_set(gate: Gate) -> None:
    """Register the gate. Called once, when the process starts."""
    _gates[:] = [gate]


def gate_reasons(candidate: ReleaseSnapshot) -> list[str]:
    """Return why the release may not go live; empty when it may."""
    return [reason for gate in _gates for reason in gate(candidate)]
