"""Rows of evaluations: data sets of cases, what is expected of their answers, experiments and their results (SPEC 8.4).

Import the models from here; each module holds one group.
"""

from __future__ import annotations

from evaluations.models.canaries import CanaryLook
from evaluations.models.cases import MAX_CASES, Case, DataSet, Expectation
from evaluations.models.experiments import MAX_SAMPLES, CaseResult, Experiment, Grade
from evaluations.models.leased_work import LeasedWork
from evaluations.models.replays import Replay, ReplayedRun
from evaluations.models.requirements import MARKED_SAMPLES, Requirement

__all__ = [
    "MARKED_SAMPLES",
    "MAX_CASES",
    "MAX_SAMPLES",
    "CanaryLook",
    "Case",
    "CaseResult",
    "DataSet",
    "Expectation",
    "Experiment",
    "Grade",
    "LeasedWork",
    "Replay",
    "ReplayedRun",
    "Requirement",
]
