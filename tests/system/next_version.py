"""The version after this one: a copy of the code with one more migration, which adds a column to a busy table and a table."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tools.embedded.layout import ROOT

MODELS = Path("chat") / "models" / "conversations.py"
FIELD = "    mood = models.CharField(max_length=20, null=True, blank=True)\n"
BEFORE = "    # The newest message of the branch that is shown.\n"  # inside of Conversation
TABLE = """

class ConversationMark(TenantModel):
    conversation = TenantForeignKey("chat.Conversation", on_delete=models.CASCADE, related_name="+")
    label = models.CharField(max_length=20)
"""
SECURE = "        SecureTenantTable('ConversationMark'),\n    ]\n"
IMPORT = "from tenants.postgres.migration_operations import SecureTenantTable\n"


def copy_code(target: Path) -> None:
    """Copy what git knows of this code, and what it would know after an `add`."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def make_next_version(target: Path, env: Mapping[str, str]) -> str:
    """Make it in `target`, with this version's front end; return the migration's name."""
    copy_code(target)
    (target / "static_build").symlink_to(ROOT / "static_build")
    models = (target / MODELS).read_text()
    assert models.count(BEFORE) == 1
    (target / MODELS).write_text(models.replace(BEFORE, FIELD + BEFORE) + TABLE)
    subprocess.run([sys.executable, "manage.py", "makemigrations", "chat", "--name", "next"], cwd=target, env=env, check=True)
    [migration] = (target / "chat" / "migrations").glob("*_next.py")
    text = migration.read_text()
    assert text.endswith("    ]\n")
    migration.write_text(IMPORT + text.removesuffix("    ]\n") + SECURE)
    return migration.stem
