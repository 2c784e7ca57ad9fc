"""What checking passwords leaves in memory."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# Like sign-ins: one after the other, in several threads that live on.
HASHED = """
import hashlib, resource, sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from config.allocator import configure_allocator

def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6

def hashed(_):
    everybody.wait()
    hashlib.scrypt(b"password", salt=b"salt", n=2**14, r=8, p=1, maxmem=64 * 2**20)

configure_allocator()
everybody = Barrier(2)
with ThreadPoolExecutor(2) as threads:
    before = resident_mb()
    for _ in range(4):
        list(threads.map(hashed, range(2)))
    print(resident_mb() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have no such settings")
def test_a_process_gives_back_what_checking_passwords_took() -> None:
    result = subprocess.run([sys.executable, "-c", HASHED], capture_output=True, text=True, check=True)
    assert float(result.stdout) < 8  # megabytes; without the settings 16 for each thread
