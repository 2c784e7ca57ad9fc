#!/usr/bin/env python3
"""Django's command line."""

from __future__ import annotations

import os
import sys


def main(arguments: list[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    from config.env import InvalidEnvironment

    try:
        execute_from_command_line([sys.argv[0], *arguments])
    except InvalidEnvironment as problems:
        sys.exit(str(problems))


if __name__ == "__main__":
    main(sys.argv[1:])
