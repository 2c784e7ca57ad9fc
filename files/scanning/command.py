"""A scan by a program: the file is its standard input. Exit code 0: clean; 1: infected; another: no verdict (as of clamscan)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from typing import Final

from files.scanning.verdict import ScannerUnreachable, threat_name

TIMEOUT_S: Final = 60.0
_SIGNATURE: Final = re.compile(r"(?:^|: )([^:\n]+?) FOUND\s*$", re.MULTILINE)  # stream: Eicar-Signature FOUND


def command_scan(command: Sequence[str], content: bytes) -> str:
    """Return the name of the threat in the content, or "" when it is clean. The program gets none of our environment. Raises ScannerUnreachable."""
    try:
        done = subprocess.run([*command], input=content, capture_output=True, timeout=TIMEOUT_S, env={"LANG": "C"}, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ScannerUnreachable(type(error).__name__) from error
    if done.returncode not in (0, 1):
        raise ScannerUnreachable(f"exit code {done.returncode}")
    if done.returncode == 0:
        return ""
    match = _SIGNATURE.search(done.stdout.decode("utf-8", "replace"))
    return threat_name(match[1] if match else "")
