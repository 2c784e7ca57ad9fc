"""The work of an experiment: begins answers, waits for them, has them graded (docs/decisions/0043).

Each answer is an ordinary run of a trial, so a process that dies loses none: the run is taken over like any other, and whichever call of
the task comes next goes on with the rows that have no grades yet. One call works on an experiment at a time, by a lease that each round
renews.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import structlog
from django.db import DatabaseError
from django.db.models import Sum
from django.db.models.functions import Now

from agents.judging import JudgeCase
from agents.runtime.key_lookup import NO_KEYS
from chat.api.sends import run_start
from chat.conversations.trials import SampleLine, sample_post
from chat.models import Conversation, Message, Run
from chat.storage.cancel_waiting import cancel_waiting_run
from chat.storage.run_creation import StartedRun
from evaluations.graders.answer import Answer, ExpectedResult, Verdict
from evaluations.graders.judgement import JUDGE
from evaluations.graders.kinds import grade
from evaluations.models import Case, CaseResult, Experiment, Grade
from evaluations.services.answers import answer_of, unrecorded_call
from evaluations.services.judge import judge_ask
from evaluations.services.leases import LEASE, MAY_PASS, REFUSAL, WORK_S, asking_actor, begin_later, leased_work, works_waiting
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import NotAllowed, NotFound, ParleyError

log = structlog.get_logger(__name__)

AT_ONCE = 4  # answers of an experiment; a member may have 10 at once, and the admin may want to chat meanwhile
NEEDS_PERMISSION = "A tool asked for permission. Let tools run without asking, or test this by hand."
NOT_RECORDED = "The agent called {tool} with arguments for which no result is recorded."
NEEDS_REPLY = "The agent asked back instead of answering."

_threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="grading")


@dataclass(frozen=True, slots=True)
class EndedResult:
    """A result whose run has ended, not graded yet. `answer` is None when there is nothing to grade, and `error` says why."""

    result_id: UUID
    expected: Sequence[ExpectedResult]
    answer: Answer | None
    error: str = ""
    question: str = ""
    conversation_id: UUID | None = None
    asked_by_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """What is to be done in a round."""

    ended_results: Sequence[EndedResult]
    waiting_ids: Sequence[UUID]  # of the results whose runs begin now


async def experiment_work(organization_id: UUID, experiment_id: UUID, *, work_s: float = WORK_S) -> bool:
    """Work on the experiment for at most about `work_s` seconds. Return whether something is left that no other worker does."""
    return await leased_work(Experiment, organization_id, experiment_id, partial(_work_round, organization_id, experiment_id), work_s)


async def _work_round(organization_id: UUID, experiment_id: UUID, worker: UUID) -> bool:
    todo = await in_db(_round, experiment_id, worker, organization_id=organization_id)
    if todo is None:
        return False
    for ended_result in todo.ended_results:
        verdicts = await _grade(organization_id, ended_result)
        await in_db(_store, ended_result, verdicts, worker, organization_id=organization_id)
    for result_id in todo.waiting_ids:
        await _begin(organization_id, result_id)
    return True


def experiments_waiting() -> list[tuple[UUID, UUID]]:
    """Return (organization id, experiment id) of running experiments that nobody works on. One query over all organizations."""
    return works_waiting(Experiment)


def _round(experiment_id: UUID, worker: UUID) -> Round | None:
    """Renew the lease and return what is to be done. None when the experiment has ended or is another worker's. Some seven queries."""
    mine = Experiment.objects.filter(pk=experiment_id, worker=worker, status=Experiment.Status.RUNNING)
    if not mine.update(lease_expires_at=Now() + LEASE):
        return None
    experiment = mine.get()
    results = CaseResult.objects.filter(experiment=experiment)
    running = list(
        results.filter(status=CaseResult.Status.RUNNING).select_related("run", "case", "experiment").prefetch_related("case__expectations")
    )
    waiting = list(
        results.filter(status=CaseResult.Status.WAITING).order_by("sample", "case__created_at").values_list("pk", flat=True)[:AT_ONCE]
    )
    if not running and not waiting:
        mine.update(status=Experiment.Status.DONE, finished_at=Now())
        return None
    ended_results = [ended_result for result in running if (ended_result := _ended_result(result)) is not None]
    if waiting and _is_spent(experiment, ended_results):
        _end_early(experiment, "The budget is spent.")
        waiting = []
    return Round(ended_results, waiting[: AT_ONCE - len(running) + len(ended_results)])


def _is_spent(experiment: Experiment, ended_results: Sequence[EndedResult]) -> bool:
    if experiment.max_cost_usd is None:
        return False
    cost_usd = CaseResult.objects.filter(experiment=experiment).aggregate(total=Sum("cost_usd"))["total"] or 0.0
    new = sum(each.answer.cost_usd or 0.0 for each in ended_results if each.answer)
    return bool(cost_usd + new >= experiment.max_cost_usd)


def _end_early(experiment: Experiment, reason: str) -> None:
    """Let no further answer begin. Those under way are still graded, and what is missing says why."""
    Experiment.objects.filter(pk=experiment.pk).update(error=reason)
    waiting = CaseResult.objects.filter(experiment=experiment, status=CaseResult.Status.WAITING)
    waiting.update(status=CaseResult.Status.FAILED, error=reason)


def _ended_result(result: CaseResult) -> EndedResult | None:
    """Return the result with its run's answer or error; None while the run works. Ends a run that waits for a person."""
    expected = [row.expected for row in result.case.expectations.all()]
    run = result.run
    if run is None:
        return EndedResult(result.pk, expected, None, "The run was deleted.")
    match run.status:
        case Run.Status.DONE:
            if result.case.recorded_tools and (tool := unrecorded_call(run)):
                return EndedResult(result.pk, expected, None, NOT_RECORDED.format(tool=tool))
            question, asked_by = result.case.messages[-1]["text"], result.experiment.asked_by_id
            return EndedResult(
                result.pk, expected, answer_of(run), question=question, conversation_id=run.conversation_id, asked_by_id=asked_by
            )
        case Run.Status.FAILED:
            return EndedResult(result.pk, expected, None, f"The run failed: {run.error_code or 'unknown error'}.")
        case Run.Status.STOPPED:
            return EndedResult(result.pk, expected, None, "The run was stopped.")
        case status if status in Run.WAITING:
            cancel_waiting_run(Conversation.objects.select_for_update().get(pk=run.conversation_id))
            return EndedResult(result.pk, expected, None, NEEDS_REPLY if status == Run.Status.WAITING_FOR_REPLY else NEEDS_PERMISSION)
        case _:
            return None


async def _grade(organization_id: UUID, ended_result: EndedResult) -> list[Verdict]:
    if ended_result.answer is None:
        return []
    verdicts = await asyncio.get_running_loop().run_in_executor(_threads, grade, ended_result.expected, ended_result.answer)
    for place, row in enumerate(ended_result.expected):
        if row.kind == JUDGE and ended_result.conversation_id and ended_result.asked_by_id:
            verdicts[place] = await judge_ask(
                organization_id=organization_id,
                membership_id=ended_result.asked_by_id,
                conversation_id=ended_result.conversation_id,
                judged=JudgeCase(rubric=row.value, question=ended_result.question, answer=ended_result.answer.text),
            )
    return verdicts


def _store(ended_result: EndedResult, verdicts: Sequence[Verdict], worker: UUID) -> None:
    """Store the grades, unless another worker has, and renew the lease."""
    Experiment.objects.filter(results=ended_result.result_id, worker=worker).update(lease_expires_at=Now() + LEASE)
    answer = ended_result.answer
    values = {"status": CaseResult.Status.FAILED, "error": ended_result.error[:300]} if answer is None else _values(answer, verdicts)
    if not CaseResult.objects.filter(pk=ended_result.result_id, status=CaseResult.Status.RUNNING).update(**values):
        return
    Grade.objects.bulk_create(
        Grade(
            result_id=ended_result.result_id,
            position=position,
            kind=row.kind,
            passed=verdict.passed,
            template=verdict.template[:500],
            values={name: value.replace("\x00", "") if isinstance(value, str) else value for name, value in verdict.values.items()},
        )
        for position, (row, verdict) in enumerate(zip(ended_result.expected, verdicts, strict=False))
    )


def _values(answer: Answer, verdicts: Sequence[Verdict]) -> dict[str, object]:
    return {
        "status": CaseResult.Status.DONE,
        "answer": answer.text.replace("\x00", ""),
        "passed": all(verdict.passed for verdict in verdicts),
        "cost_usd": answer.cost_usd,
        "duration_ms": round(answer.duration_s * 1000),
    }


async def _begin(organization_id: UUID, result_id: UUID) -> None:
    """Begin a result's run. What may pass, such as a database that is away, a later round tries again; what can't be run fails."""
    try:
        asking = await in_db(_actor_of, result_id, organization_id=organization_id)
        store = partial(_run_store, asking, result_id)
        await run_start(store, NO_KEYS, organization_id=organization_id)
    except _AlreadyBegun:
        return
    except MAY_PASS as error:
        await begin_later(CaseResult, result_id, error, organization_id)
    except (NotAllowed, NotFound):
        await in_db(_fail, result_id, "Who asked is no admin any more.", organization_id=organization_id)
    except ParleyError as error:  # must not keep the other cases from being asked
        await in_db(_fail, result_id, str(error), organization_id=organization_id)
    except DatabaseError:
        log.exception("answer_not_begun", organization_id=str(organization_id), result_id=str(result_id))
        await in_db(_fail, result_id, REFUSAL, organization_id=organization_id)


def _actor_of(result_id: UUID) -> Actor:
    """Return who asked for the experiment; `sample_post` checks what they may do now. Raises NotFound when the membership is gone."""
    return asking_actor(Experiment.objects.select_related("asked_by__organization").get(results=result_id))


def _run_store(actor: Actor, result_id: UUID) -> StartedRun:
    """Store the run and that it is the result's, in one transaction. Raises _AlreadyBegun, and what `sample_post` raises."""
    result = CaseResult.objects.select_for_update(of=("self",)).select_related("case", "experiment").get(pk=result_id)
    if result.status != CaseResult.Status.WAITING or not result.experiment.is_running:
        raise _AlreadyBegun
    case = result.case
    started = sample_post(actor=actor, release_id=result.experiment.release_id, lines=_lines(case), results=case.given_results)
    CaseResult.objects.filter(pk=result_id).update(status=CaseResult.Status.RUNNING, run_id=started.run_id)
    return started


def _lines(case: Case) -> list[SampleLine]:
    return [SampleLine(Message.Role(line["role"]), line["text"]) for line in case.messages]


def _fail(result_id: UUID, reason: str) -> None:
    waiting = CaseResult.objects.filter(pk=result_id, status=CaseResult.Status.WAITING)
    waiting.update(status=CaseResult.Status.FAILED, error=reason[:300])


class _AlreadyBegun(Exception):
    """Another worker has begun it, or the experiment was stopped."""
