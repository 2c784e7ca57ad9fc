"""Three writers whose networks break, an agent, and a member who joins conflicts: no character is lost, and all have the same text.

LIVE_ROUNDS names another number of rounds, LIVE_SEED another course (CONTRIBUTING.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from random import Random

import pytest
from asgiref.sync import sync_to_async

from artifacts.edits import Edit, agent_version_save, version_save
from artifacts.live.documents import live_document_to_save, live_text
from artifacts.live.versions import live_version_save
from artifacts.merge_context import conflict_sides
from artifacts.models import Artifact, Version
from artifacts.selectors import version_latest_complete
from artifacts.services import artifact_lock
from artifacts.text.merge import merge_keeping_both
from tenants.access import Actor
from tenants.context import tenant_tx
from tests.artifacts.support import agent_version, make_artifact
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser
from tests.support.chat.live_writer import LiveWriter

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system", "auth"])

ROUNDS = int(os.environ.get("LIVE_ROUNDS", "40"))
SEED = int(os.environ.get("LIVE_SEED", "1"))
WRITERS = 3
# Each is written once in the world, so that it shows when one is missing.
CHARACTERS = (range(0x4E00, 0x9FFF), range(0xAC00, 0xD7A3), range(0x3400, 0x4DBF), range(0x20000, 0x2A6DF))


@dataclass
class Ledger:
    """`removals`: what somebody took out on purpose."""

    random: Random
    characters: set[str] = field(default_factory=set)
    removals: set[str] = field(default_factory=set)
    _unused: Iterator[str] = field(default_factory=lambda: map(chr, chain(*CHARACTERS)))

    def new(self, most: int) -> str:
        added = "".join(next(self._unused) for _ in range(self.random.randint(1, most)))
        self.characters.update(added)
        return added

    def lost_in(self, text: str) -> set[str]:
        return self.characters - self.removals - set(text)


@dataclass
class Agent:
    """Writes for some rounds, from the version that it has read."""

    artifact: Artifact
    member: Actor  # who joins its conflicts
    ledger: Ledger
    base: Version | None = None
    rounds: int = 0

    def step(self) -> None:
        with tenant_tx(self.artifact.organization_id):
            if self.base is None:
                live_version_save(artifact_lock(self.artifact))
                self.base, self.rounds = version_latest_complete(artifact=self.artifact), self.ledger.random.randint(1, 4)
            elif self.rounds:
                self.rounds -= 1
            else:
                self._write(self.base)
                self.base = None

    def _write(self, base: Version) -> None:
        lines = base.content.split("\n")
        place = self.ledger.random.randrange(len(lines))
        deletion = {*lines[place]} if self.ledger.random.random() < 0.3 else set()
        lines[place : place + bool(deletion)] = [self.ledger.new(4)]
        version = agent_version_save(artifact=self.artifact, version=agent_version("\n".join(lines), parent=base.number))
        if version.is_conflict:
            self._join(version)
        self.ledger.removals |= deletion

    def _join(self, conflict: Version) -> None:
        """As a member does who keeps both."""
        sides = conflict_sides(conflict)
        both = merge_keeping_both(sides.base.content, sides.theirs.content, sides.yours)
        edit = Edit(content=both, base=conflict.number, operation=Version.Operation.MERGE)
        version_save(artifact_id=self.artifact.pk, actor=self.member, edit=edit)


async def write(writer: LiveWriter, ledger: Ledger) -> None:
    """Put something in, and sometimes take something out."""
    text, random = str(writer.text), ledger.random
    place = random.randint(0, len(text))
    deletion = text[place : place + random.choice((0, 0, 0, 1, 3))]
    ledger.removals.update(deletion)
    insertion = ledger.new(3) + random.choice(("", "", "\n"))
    await writer.write(len(text[:place].encode()), insertion, removed=len(deletion.encode()))


@pytest.fixture
def agent(cast: Cast) -> Agent:
    ledger, actor = Ledger(Random(SEED)), cast.actor(cast.alice)
    return Agent(make_artifact(actor, "\n".join(ledger.new(6) for _ in range(8))).artifact, actor, ledger)


async def test_no_character_is_lost(agent: Agent, alice: Browser) -> None:
    artifact, ledger = agent.artifact, agent.ledger
    writers = [LiveWriter(alice, artifact.pk) for _ in range(WRITERS)]
    for writer in writers:
        await writer.join()
    for _ in range(ROUNDS):
        for writer in writers:
            if ledger.random.random() < 0.15:
                await (writer.cut() if writer.is_connected else writer.join())
            await write(writer, ledger)
            await writer.read_waiting()
        await sync_to_async(agent.step)()
    for writer in writers:
        if not writer.is_connected:
            await writer.join()
        await writer.settle()
    text = await sync_to_async(saved_text)(artifact)
    for writer in writers:
        await writer.read_until(partial(shows, writer, text))
    assert ledger.lost_in(text) == set()
    for writer in writers:
        await writer.cut()


def shows(writer: LiveWriter, text: str) -> bool:
    return str(writer.text) == text


def saved_text(artifact: Artifact) -> str:
    with tenant_tx(artifact.organization_id):
        document = live_document_to_save(artifact)
        live = str(live_text(document)) if document else None
        version = live_version_save(artifact_lock(artifact)) or version_latest_complete(artifact=artifact)
        assert version is not None
        assert live in (None, version.content)
        return version.content
