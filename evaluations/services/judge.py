"""Has the live chat agent's model judge an answer, and writes the call to the call log beside the answer's."""

from __future__ import annotations

import asyncio
from uuid import UUID

from admin_config.errors import RunConfigError
from agents.errors import RunError
from agents.judging import JudgeCase, judgement_write
from agents.runtime.call_recording import CallRecord
from agents.runtime.key_lookup import KeyOwner
from chat.storage.call_log import calls_record
from evaluations.graders.answer import Verdict
from evaluations.graders.judgement import read_judgement
from evaluations.translation import gettext_noop as _
from limits.budget_accounts import budgets_load
from tenants.db import in_db

MAX_JUDGE_S = 45.0  # below the experiment's lease


async def judge_ask(*, organization_id: UUID, membership_id: UUID, conversation_id: UUID, judged: JudgeCase) -> Verdict:
    """Return the verdict; a judge that can't be asked passes nothing and says why."""
    calls: list[CallRecord] = []
    budgets = await in_db(budgets_load, membership_id=membership_id, organization_id=organization_id)
    try:
        async with asyncio.timeout(MAX_JUDGE_S):
            text = await judgement_write(
                organization_id=organization_id,
                key_owner=KeyOwner(membership_id=membership_id),
                budgets=budgets,
                judged=judged,
                record_call=calls.append,
            )
    except TimeoutError:
        return Verdict(False, _("The judge took too long."))
    except (RunError, RunConfigError) as error:
        return Verdict(False, _("The judge could not be asked: %(error)s"), {"error": str(error)})
    finally:
        await in_db(calls_record, conversation_id=conversation_id, calls=calls, organization_id=organization_id)
    return read_judgement(text)
