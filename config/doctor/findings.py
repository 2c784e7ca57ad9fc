"""What a check of the installation finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "error"]
MAX_CLOCK_DIFFERENCE_S = 2.0  # runs are claimed by the database's clock; signed addresses and second factors use this machine's


@dataclass(frozen=True)
class Finding:
    """One line of the report: how it stands with `subject`, in a sentence, and what to do (empty where nothing is wrong)."""

    level: Level
    subject: str
    text: str
    advice: str = ""


def ok(subject: str, text: str) -> Finding:
    return Finding("ok", subject, text)


def warning(subject: str, text: str, advice: str) -> Finding:
    return Finding("warning", subject, text, advice)


def error(subject: str, text: str, advice: str) -> Finding:
    return Finding("error", subject, text, advice)


def clock_finding(subject: str, difference_s: float) -> list[Finding]:
    """Return a warning when that server's clock differs from this machine's, else nothing."""
    if abs(difference_s) <= MAX_CLOCK_DIFFERENCE_S:
        return []
    return [warning(subject, f"Its clock differs from this machine's by {difference_s:.0f} s.", "Let NTP set the clocks of both machines.")]
