"""What the models of higher layers can't say about their deletion. Their app configs say it here when Django starts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from tenants.plain_keys import PLAIN_KEYS

BeforeDelete = Callable[[UUID, Collection[UUID]], None]  # organization, ids of rows; may be repeated
UserSweep = Callable[[int, str], dict[str, int]]  # user, e-mail address; what it deleted, by name
Sweep = Callable[[UUID], dict[str, int]]  # organization; what it deleted, by name


@dataclass(slots=True)
class Registry:
    """Models are named by their label, such as `chat.Run`."""

    owned: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    before_delete: dict[str, list[BeforeDelete]] = field(default_factory=lambda: defaultdict(list))
    sweeps: list[Sweep] = field(default_factory=list)
    organization_sweeps: list[Sweep] = field(default_factory=list)
    user_sweeps: list[UserSweep] = field(default_factory=list)
    exempt_tables: set[str] = field(default_factory=set)
    kept_policy: set[str] = field(default_factory=set)

    def add_plain_key(self, child: str, column: str, parent: str) -> None:
        """The child's plain column holds the parent's id, because the parent is in a higher layer: both are deleted together.

        The parent's migration adds the composite key (SecurePlainKey), and the check at a start asks for it.
        """
        PLAIN_KEYS[parent].append((child, column))

    def add_owned(self, owner: str, foreign_key: str) -> None:
        """The row that the foreign key names belongs to the owner alone and is deleted with it."""
        self.owned[owner].append(foreign_key)

    def add_before_delete(self, model: str, function: BeforeDelete) -> None:
        """Delete what the rows have outside of the database. The rows stay, and are tried again, if this fails."""
        self.before_delete[model].append(function)

    def add_sweep(self, function: Sweep) -> None:
        """Delete shared rows that nothing refers to any more."""
        self.sweeps.append(function)

    def add_organization_sweep(self, function: Sweep) -> None:
        """Delete what else an organization has outside of the database, after its rows."""
        self.organization_sweeps.append(function)

    def add_user_sweep(self, function: UserSweep) -> None:
        """Delete what names a user without a key, such as mails to the address. Called before the address is gone."""
        self.user_sweeps.append(function)

    def keep(self, model: str) -> None:
        """These rows hold ids alone and outlive their organization."""
        self.exempt_tables.add(model)

    def keep_policy(self, *names: str) -> None:
        """These parts of an organization's policy hold for the rows that outlive it."""
        self.kept_policy.update(names)


REGISTRY: Final = Registry()
