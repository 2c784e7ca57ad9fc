"""`manage.py check` looks at the admin pages, although no process loads them before its URLs."""

from __future__ import annotations

import subprocess
import sys

from config.env import BASE_DIR

BROKEN_PAGES = """
import django
django.setup()
from django.contrib.admin import ModelAdmin
from django.core.management import call_command
ModelAdmin.list_per_page = "many"
call_command("check", tags=["admin"])
"""


def test_a_broken_admin_page_is_found() -> None:
    result = subprocess.run([sys.executable, "-c", BROKEN_PAGES], cwd=BASE_DIR, capture_output=True, text=True, check=False)
    assert "admin.E118" in result.stderr
