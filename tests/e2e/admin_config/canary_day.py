"""A canary's day in the browser tests: members of Finch ask, real runs answer, and the canary's rules look after each round.

`python -m tests.e2e.admin_config.canary_day`, in the product's environment, has as many rounds as each line of its input says, and fewer
when the rules have acted; it answers with how many questions were asked and whether they have.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from tests.support.system.product import Product

MEMBERS = 200  # so that there are a dozen of them in a tenth, whose choice is by hash
AT_ONCE = 8  # of each release


class Day:
    """The day as a test sees it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def go_on(self, rounds: int) -> dict[str, Any]:
        """Let members ask; return how many `questions` there were, and whether the canary is `over`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(rounds, file=self._process.stdin, flush=True)
        report: dict[str, Any] = json.loads(self._process.stdout.readline())
        return report


@contextmanager
def canary_day(product: Product) -> Iterator[Day]:
    """A day of Finch's members, which ends with the block."""
    command = [sys.executable, "-m", "tests.e2e.admin_config.canary_day"]
    with subprocess.Popen(command, env=product.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Day(process)
        finally:
            process.kill()


async def main() -> None:
    """Serve the test."""
    from asgiref.sync import sync_to_async

    from admin_config.models import Canary
    from evaluations.canary.looks import canaries_decide
    from tenants.db import in_db

    numbers, arms, is_over = itertools.count(1), await sync_to_async(members_by_release)(), False
    finch = arms[0][0].organization_id
    for line in iter(sys.stdin.readline, ""):
        questions = 0
        for _ in range(int(line)):
            if not is_over:
                turns = [number for number, _ in zip(numbers, range(AT_ONCE), strict=False)]
                await asyncio.gather(*(ask(members[number % len(members)], number) for number in turns for members in arms))
                await idle(finch)
                questions += AT_ONCE * len(arms)
                await sync_to_async(canaries_decide)()
                is_over = not await in_db(Canary.objects.filter(ended_at=None).exists, organization_id=finch)  # beat may have been quicker
        print(json.dumps({"questions": questions, "over": is_over}), flush=True)


def members_by_release() -> Sequence[Sequence[Any]]:
    """Give Finch its members; return some who get the canary, and as many others."""
    from admin_config.models import Canary
    from admin_config.services.selectors import live_release
    from tenants.access import Actor
    from tenants.context import tenant_tx
    from tenants.models import Membership, Organization, User
    from tests.support.chat.release_runs import members_add

    finch = Organization.objects.using("system").get(slug="finch")
    places = members_add(finch, MEMBERS, acting=User.objects.using("system").get(email="greta@example.org"))
    with tenant_tx(finch.pk):
        canary = Canary.objects.get(ended_at=None).release_id
        rows = Membership.objects.filter(pk__in=places)
        arms: tuple[list[Actor], list[Actor]] = ([], [])
        for row in rows:
            is_outside = live_release(organization_id=finch.pk, membership_id=row.pk).id != canary
            arms[is_outside].append(Actor(row.user_id, finch.pk, finch.slug, row.pk, row.version, row.role))
    return [arm[:AT_ONCE] for arm in arms]


async def ask(actor: Any, number: int) -> None:
    from agents.runtime.key_lookup import NO_KEYS
    from chat.api.frames import ChatRequest
    from chat.api.sends import request_start

    part = {"type": "text", "text": f"When does order {number} arrive?"}
    request = ChatRequest.model_validate({"id": str(uuid4()), "messages": [{"id": uuid4().hex, "role": "user", "parts": [part]}]})
    await request_start(actor, request, NO_KEYS)


async def idle(organization_id: Any) -> None:
    from chat.models import Run
    from tenants.db import in_db

    while await in_db(Run.objects.filter(finished_at=None).exists, organization_id=organization_id):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.02)


if __name__ == "__main__":
    import django

    django.setup()
    asyncio.run(main())
