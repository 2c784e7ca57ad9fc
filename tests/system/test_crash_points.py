"""kill -9 at each named point of a step: the run completes, nothing is lost or doubled, and no tool with effects runs twice (SPEC 5.2).

The short form of tests.system.crash.trials.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini, gemini_double
from tests.support.chat.workspace import allow_egress, make_workspace
from tests.system.crash.environment import TrialEnvironment, owners_for
from tests.system.crash.points import Crash, Point
from tests.system.crash.processes import OwnerProcesses
from tests.system.crash.tools import LOOK_UP, PAY, SEND
from tests.system.crash_plans import OF_PAUSES, ONCE, Plan
from tests.system.crash_scenes import DOCUMENT, MAX_STEPS, Scene

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

FLUSHED_MS = 40  # the event log holds all that was shown before the point


@pytest.fixture(scope="module")
def model() -> Iterator[ServedGemini]:
    with gemini_double() as double, allow_egress(double.base_url):
        yield double


@pytest.fixture(scope="module")
def owners(django_db_setup: None, model: ServedGemini, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnerProcesses]:
    with owners_for(model, tmp_path_factory.mktemp("owners")) as started:
        yield started


@pytest.fixture
def site(cast: Cast, model: ServedGemini, owners: OwnerProcesses, tmp_path: Path) -> TrialEnvironment:
    make_workspace(cast.acme, model)
    return TrialEnvironment(cast.actor(cast.alice), model, owners, tmp_path)


def crash_at(point: Point) -> Crash:
    """At the second passage where there is one: something came before, and something follows."""
    return Crash(point, nth=1 if point in ONCE else 2, delay_ms=FLUSHED_MS)


def test_an_answer_is_whole_after_its_owner_died(site: TrialEnvironment) -> None:
    points = [point for point in Point if point is not Point.CLAIMED and point not in OF_PAUSES]
    scene = Scene("scene-one", ((LOOK_UP, SEND, DOCUMENT), (LOOK_UP,)))

    outcomes = {point: site.trial(Plan(scene, (crash_at(point),))) for point in points}

    assert {point: outcome.died_at for point, outcome in outcomes.items()} == {point: (point,) for point in points}
    assert {point: outcome.problems for point, outcome in outcomes.items() if outcome.problems} == {}


def test_an_approved_call_runs_once_whoever_died_around_the_pause(site: TrialEnvironment) -> None:
    scene = Scene("scene-pause", ((SEND, PAY),))

    outcome = site.trial(Plan(scene, tuple(Crash(point) for point in OF_PAUSES)))

    assert outcome.died_at == OF_PAUSES
    assert outcome.problems == ()


def test_an_answer_is_whole_after_one_owner_after_the_other_died(site: TrialEnvironment) -> None:
    scene = Scene("scene-many", ((SEND, SEND), (LOOK_UP, DOCUMENT)))
    points = (Point.IN_TOOL, Point.CLAIMED, Point.RESULT_STORED, Point.LOADED, Point.MID_DOCUMENT, Point.END_WRITTEN)

    outcome = site.trial(Plan(scene, tuple(Crash(point) for point in points)))

    assert outcome.died_at == points
    assert outcome.problems == ()


def test_an_answer_is_whole_when_the_log_is_lost_with_its_owner(site: TrialEnvironment) -> None:
    scene = Scene("scene-log", ((SEND,), (LOOK_UP,)))

    outcome = site.trial(Plan(scene, (Crash(Point.MID_STREAM, nth=12),), log_is_lost=True))

    assert outcome.died_at == (Point.MID_STREAM,)
    assert outcome.problems == ()


def test_an_answer_that_used_all_its_steps_says_so_once(site: TrialEnvironment) -> None:
    scene = Scene("scene-limit", ((LOOK_UP,),) * MAX_STEPS)

    outcome = site.trial(Plan(scene, (Crash(Point.FINALIZING),)))

    assert outcome.died_at == (Point.FINALIZING,)
    assert outcome.problems == ()


def test_a_message_to_a_dead_owner_is_delivered_once(site: TrialEnvironment) -> None:
    scene = Scene("scene-message", ((SEND, LOOK_UP),))
    points = (Point.MID_STREAM, Point.INPUT_WRITTEN, Point.INPUT_STORED, Point.IN_TOOL)

    outcome = site.trial(Plan(scene, tuple(Crash(point, delay_ms=FLUSHED_MS) for point in points), sends_message=True))

    assert outcome.died_at == points
    assert outcome.problems == ()
