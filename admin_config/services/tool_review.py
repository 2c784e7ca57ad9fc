"""Review of tool definitions that come from servers (SECURITY 29): discovered, accepted by an admin, and only then used.

A source's `pins` hold them: `accepted` goes into releases, and `found` waits for an admin's review. Some servers can only be asked with a
member's token. Their tools are pinned when a run first sees them, with the server's address as `server`, and apply immediately, without a
release.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol
from uuid import UUID

import orjson
from django.utils.translation import gettext

from admin_config.models.tools import ToolSource
from admin_config.services.changes.diff import DiffLine, text_diff
from security.audit import audit
from security.secrets.secret_text import SecretText
from tenants.context import current_organization_id
from tenants.errors import Conflict, ParleyError

ACCEPTED_KEY, FOUND_KEY, SERVER_KEY = "accepted", "found", "server"
MAX_PINNED_TOOLS = 500  # limit of tools pinned without an admin, and of those that wait for a review

Definition = Mapping[str, Any]  # JSON with at least a "name"


class DiscoveryFailed(ParleyError):
    """The source returned no list of tools. The message says why."""

    code = "discovery_failed"
    status = 502


@dataclass(frozen=True, slots=True)
class DiscoveredTools:
    """What a source offers."""

    definitions: Sequence[Definition]
    refusals: Sequence[str] = ()  # why others can't be kept, a sentence each


class ToolDiscovery(Protocol):
    """A kind whose sources report their tools themselves."""

    async def discover(self, settings: Mapping[str, Any], secret: SecretText | None) -> DiscoveredTools:
        """Return what the source offers now. Raises DiscoveryFailed."""
        ...


@dataclass(frozen=True, slots=True)
class ToolChange:
    """One tool of a review."""

    name: str
    before: Definition | None  # None: new
    after: Definition | None  # None: gone

    @property
    def word(self) -> str:
        return "new" if self.before is None else "gone" if self.after is None else "changed"

    @property
    def lines(self) -> tuple[DiffLine, ...]:
        return text_diff(_definition_text(self.before), _definition_text(self.after))


def released_pins(pins: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the pins that goes into a release: accepted ones, but none that were pinned by runs."""
    return {} if SERVER_KEY in pins else _without_pending(pins)


def _without_pending(pins: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pins without those that wait for a review."""
    return {key: value for key, value in pins.items() if key != FOUND_KEY}


def pending_changes(pins: Mapping[str, Any]) -> list[ToolChange]:
    """Return what waits for a review, by name; empty if nothing does."""
    if pins.get(FOUND_KEY) is None:
        return []
    before, after = _by_name(pins.get(ACCEPTED_KEY)), _by_name(pins[FOUND_KEY])
    names = sorted(before.keys() | after.keys())
    return [ToolChange(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]


def usable_tools(pins: Mapping[str, Any]) -> list[Definition]:
    """Return the tools that agents get.

    A tool pinned by runs is withheld while its change waits; a tool of a release is used as it was accepted.
    """
    pending_names = {change.name for change in pending_changes(pins)} if SERVER_KEY in pins else set()
    return [tool for name, tool in _by_name(pins.get(ACCEPTED_KEY)).items() if name not in pending_names]


def discovery_hash(pins: Mapping[str, Any]) -> str:
    """Return a hash of the definitions that were found, to notice when they change."""
    return hashlib.sha256(orjson.dumps(pins.get(FOUND_KEY), option=orjson.OPT_SORT_KEYS)).hexdigest()


def discovery_store(*, source_id: UUID, definitions: Sequence[Definition]) -> None:
    """Store what a source offers now for review, if it differs from what was accepted. Needs the organization's `tenant_tx`. Writes an
    audit event.
    """
    source = ToolSource.objects.select_for_update().filter(pk=source_id).first()
    if source is None:
        return
    is_accepted = _by_name(source.pins.get(ACCEPTED_KEY)) == _by_name(definitions)
    pins = _without_pending(source.pins) | ({} if is_accepted else {FOUND_KEY: list(definitions)})
    if pins != source.pins:
        _save(source, pins, "tool_source.changed", None, [change.name for change in pending_changes(pins)])


def tools_pin_on_first_use(*, source_id: UUID, server: str, definitions: Sequence[Definition]) -> frozenset[str]:
    """Pin the tools that a run sees for the first time at this server. Return the names of the offered tools that wait for a review.

    Those are tools that have changed since they were pinned, and new ones beyond MAX_PINNED_TOOLS. Needs the organization's `tenant_tx`.
    Writes an audit event.
    """
    source = ToolSource.objects.select_for_update().filter(pk=source_id).first()
    if source is None:
        return frozenset()
    pins = source.pins if source.pins.get(SERVER_KEY) == server else {}
    server_tools, accepted_tools = _by_name(definitions), _by_name(pins.get(ACCEPTED_KEY))
    new_names = [name for name in server_tools if name not in accepted_tools][: max(0, MAX_PINNED_TOOLS - len(accepted_tools))]
    pinned_tools = accepted_tools | {name: server_tools[name] for name in new_names}
    differing_tools = {
        name: tool for name, tool in (_by_name(pins.get(FOUND_KEY)) | server_tools).items() if pinned_tools.get(name) != tool
    }
    waiting_tools = dict(islice(differing_tools.items(), MAX_PINNED_TOOLS))
    pins = {
        SERVER_KEY: server,
        ACCEPTED_KEY: list(pinned_tools.values()),
        **({FOUND_KEY: list((pinned_tools | waiting_tools).values())} if waiting_tools else {}),
    }
    if pins != source.pins:
        _save(source, pins, "tool_source.changed" if waiting_tools else "tool_source.met", None, sorted(waiting_tools or new_names))
    return frozenset(differing_tools.keys() & server_tools.keys())


def discovery_accept(*, source_id: UUID, expected_hash: str, names: Collection[str], author_id: int) -> int:
    """Accept the changes of the tools in `names`; return how many. Other tools stay as they were.

    `expected_hash`: the `discovery_hash` that the admin reviewed. Raises Conflict when the definitions have changed since. Needs the organization's
    `tenant_tx`. Writes an audit event.
    """
    source = ToolSource.objects.select_for_update().get(pk=source_id)
    if discovery_hash(source.pins) != expected_hash:
        raise Conflict(gettext("The server's tools have changed since you looked. Look at them again."))
    changes = [change for change in pending_changes(source.pins) if change.name in names]
    tools = _by_name(source.pins.get(ACCEPTED_KEY)) | {change.name: change.after for change in changes if change.after is not None}
    for change in changes:
        if change.after is None:
            tools.pop(change.name)
    pins = {**source.pins, ACCEPTED_KEY: list(tools.values())}
    if not pending_changes(pins):
        pins = _without_pending(pins)
    if changes:
        _save(source, pins, "tool_source.accept", author_id, [change.name for change in changes])
    return len(changes)


def _save(source: ToolSource, pins: dict[str, Any], action: str, author_id: int | None, names: list[str]) -> None:
    source.pins = pins
    source.save(update_fields=["pins"])
    audit(
        organization_id=current_organization_id(),
        actor_user_id=author_id,
        action=action,
        object_kind="tool_source",
        object_id=source.pk,
        detail={"tools": names[:100]},
    )


def _by_name(definitions: Any) -> dict[str, Definition]:
    return {str(item["name"]): item for item in definitions or () if isinstance(item, Mapping) and "name" in item}


def _definition_text(definition: Definition | None) -> str:
    """Return the definition as text for admins: its description, and the rest as indented JSON."""
    if definition is None:
        return ""
    rest = {name: value for name, value in definition.items() if name not in ("name", "description")}
    return f"{definition.get('description', '')}\n\n{orjson.dumps(rest, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()}"
