"""What a crash trial does, by hand or by a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.system.crash.points import Crash, Point
from tests.system.crash.tools import PAY
from tests.system.crash_scenes import DOCUMENT, MAX_STEPS, Scene

OF_TOOLS = (Point.IN_TOOL, Point.EFFECT_DONE, Point.AFTER_TOOL, Point.RESULT_WRITTEN, Point.RESULT_STORED)
OF_PAUSES = (Point.ASKING_WRITTEN, Point.ASKING_STORED, Point.PAUSE_WRITTEN, Point.PAUSE_STORED, Point.INPUT_WRITTEN, Point.INPUT_STORED)
ONCE = (Point.LOADED, Point.FINALIZING, Point.END_WRITTEN, Point.END_STORED)
DELAYS_MS = (0, 0, 5, 20, 60)  # the event log is written every 15 ms


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked and where each owner in turn is to die; further ones go on to the end.

    `log_is_lost`: at the first death. `sends_message`: the user sends a message into the run after it; by a seed only where all else is told
    as without it (a message also refuses requests for approval, breaks documents off and gives new steps).
    """

    scene: Scene
    crashes: tuple[Crash, ...]
    log_is_lost: bool = False
    sends_message: bool = False

    @classmethod
    def by(cls, rng: random.Random, number: int) -> Plan:
        scene = Scene.by(rng, f"scene-{number}")
        points = [point for point in Point if passages(scene, point)]
        crashes = [_crash(rng, scene, rng.choice(points))]
        while len(crashes) < 4 and rng.random() < 0.4:
            crashes.append(_crash(rng, scene, rng.choice([*points, Point.CLAIMED])))
        is_plain = not scene.has_no_answer and not any({DOCUMENT, PAY}.intersection(step) for step in scene.steps)
        return cls(scene, tuple(crashes), rng.random() < 0.15, is_plain and rng.random() < 0.3)


def passages(scene: Scene, point: Point) -> int:
    """How often an answer that nothing interrupts passes the point; of a stream's pieces at least so many."""
    calls = [call for step in scene.steps for call in step]
    if point is Point.CLAIMED:
        return 0  # only a later owner claims
    if point in OF_TOOLS:
        return len(calls)
    if point in OF_PAUSES:
        return calls.count(PAY)
    if point in ONCE:
        return 1
    if point in (Point.RESPONSE_WRITTEN, Point.RESPONSE_STORED):
        return min(len(scene.steps), MAX_STEPS)  # the last answer is stored with the end
    if point is Point.MID_DOCUMENT:
        return 12 * calls.count(DOCUMENT)
    return min(len(scene.steps) + 1, MAX_STEPS) * (8 if point is Point.MID_STREAM else 1)


def _crash(rng: random.Random, scene: Scene, point: Point) -> Crash:
    return Crash(point, rng.randint(1, max(passages(scene, point), 1)), rng.choice(DELAYS_MS))
