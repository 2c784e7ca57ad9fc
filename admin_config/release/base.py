"""Base of the frozen parts of a release."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Snapshot(BaseModel):
    """Base of the frozen parts of a release."""

    # protected_namespaces: `model_id` names a model, not one of pydantic's methods.
    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())
