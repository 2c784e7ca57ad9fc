"""The lean relay's tables, and its one user.

python -m bench.lean_relay.seed NAME PASSWORD
"""

from __future__ import annotations

import sys

import django
from django.core.management import call_command


def seed(name: str, password: str) -> None:
    from django.contrib.auth.models import User

    call_command("migrate", verbosity=0)
    call_command("migrate", verbosity=0, run_syncdb=True)  # the relay's own tables, which have no migrations, refer to the users'
    User.objects.create_user(name, password=password)


if __name__ == "__main__":
    django.setup()
    seed(sys.argv[1], sys.argv[2])
