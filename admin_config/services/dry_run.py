"""Would the draft still be publishable after a save? Asked while the form can still show the answer beside its fields."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from admin_config.errors import Problem
from admin_config.services.composition import draft_load, draft_problems


def dry_run_problems(save: Callable[[], None]) -> list[Problem]:
    """What would keep the draft from being published if `save` were done; nothing of it stays in the database.

    Empty for organizations that collect changes in a draft: theirs may be incomplete until they publish.
    """
    with transaction.atomic():
        save()
        draft = draft_load()
        problems = draft_problems(draft) if draft.settings.publish_on_save else []
        transaction.set_rollback(True)
    return problems
