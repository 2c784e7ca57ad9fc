"""Saving what an organization's admins decide, as keys of `Organization.policy`, with the audit event of the change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from security.audit.writing import audit
from tenants.access import Actor
from tenants.models import Organization

Rules = Mapping[str, Any]  # keys and values of the policy


def organization_policy_save(
    *, actor: Actor, rules: Rules, former_rules: Callable[[Organization], Rules], action: str, object_kind: str
) -> None:
    """Save these keys, keep all others, and write an audit event of what changed; nothing is written when nothing does.

    `former_rules` reads the same keys, with their defaults. In `identity_tx`, for whose length the organization is locked.
    """
    organization = Organization.objects.select_for_update(no_key=True).get(pk=actor.organization_id)
    former = former_rules(organization)
    if former == rules:
        return
    organization.policy = {**organization.policy, **rules}
    organization.save(update_fields=["policy"])
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind=object_kind,
        object_id=actor.organization_id,
        before=former,
        after=rules,
    )
