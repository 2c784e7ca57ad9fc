"""What an organization's owners and admins decide about members, as data in `Organization.policy`."""

from __future__ import annotations

import re
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenants.models import Organization

DOMAIN = re.compile(r"^(?=.{1,120}\Z)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+\Z")
Domain = Annotated[str, StringConstraints(pattern=DOMAIN.pattern.replace(r"\Z", "$"))]


class MemberPolicy(BaseModel):
    """The part of the policy that concerns members. Other keys of the policy belong to others and are kept."""

    model_config = ConfigDict(frozen=True, extra="ignore", regex_engine="python-re")

    email_domains: tuple[Domain, ...] = ()  # who may be invited; empty: every address
    sign_up_domains: tuple[Domain, ...] = ()  # of which whoever signs up joins; only proven ones count
    invitation_days: int = Field(default=7, ge=1, le=90)
    removed_days: int = Field(default=30, ge=0, le=3650)  # until what a removed member owned is deleted
    session_hours: int | None = Field(default=None, ge=1, le=336)  # from signing in until a session ends; None: the product's two weeks
    session_idle_minutes: int | None = Field(default=None, ge=10, le=20_160)  # without use until it ends; None: any
    token_max_days: int | None = Field(default=None, ge=1, le=3660)  # longest life of an API token; None: any


def member_policy(organization_id: UUID) -> MemberPolicy:
    """Return the policy of an organization. One query."""
    policy = Organization.objects.values_list("policy", flat=True).get(pk=organization_id)
    return MemberPolicy.model_validate(policy or {})


def member_policy_set(*, organization: Organization, policy: MemberPolicy) -> None:
    """Store these keys and keep all others of the policy. In `identity_tx`, for whose length the row is locked."""
    locked = Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    locked.policy = {**(locked.policy or {}), **policy.model_dump(mode="json")}
    locked.save(update_fields=["policy"])
    organization.policy = locked.policy
