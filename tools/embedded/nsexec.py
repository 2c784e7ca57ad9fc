"""Exec helper, run as a script: parent-death signal, optional user namespace or setuid, then execv.

    python -IS nsexec.py [--pdeathsig N] [--map-user UID] [--setuid UID] -- program arguments...

--map-user enters a user namespace in which the caller's uid looks like UID. PostgreSQL refuses to run as root, and initdb refuses a uid
without a passwd entry. Inside the namespace both checks pass, while every file stays owned by the real caller, so no chmod, chown or
useradd is needed.
"""

import ctypes
import os
import sys
from pathlib import Path

CLONE_NEWUSER = 0x10000000
PR_SET_PDEATHSIG = 1
EXIT_NOT_EXECUTED = 97


def enter_user_namespace(uid: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    real_uid, real_gid = os.geteuid(), os.getegid()
    if libc.unshare(CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "unshare(CLONE_NEWUSER) failed")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {real_uid} 1")
    Path("/proc/self/gid_map").write_text(f"{uid} {real_gid} 1")


def drop_privileges(uid: int) -> None:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


def die_with_parent(signum: int, parent: int) -> None:
    """Ask the kernel to send `signum` when the parent dies. Linux only. Must come last, because a change of credentials clears it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signum)
    if os.getppid() != parent:  # the parent died before prctl
        sys.exit(EXIT_NOT_EXECUTED)


def main(arguments: list[str]) -> None:
    end = arguments.index("--")
    options, command = dict(zip(arguments[:end:2], arguments[1:end:2], strict=True)), arguments[end + 1 :]
    parent = os.getppid()
    if "--map-user" in options:
        enter_user_namespace(int(options["--map-user"]))
    if "--setuid" in options:
        drop_privileges(int(options["--setuid"]))
    if "--pdeathsig" in options:
        die_with_parent(int(options["--pdeathsig"]), parent)
    os.execv(command[0], command)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as error:
        print(f"nsexec: {error}", file=sys.stderr)
        sys.exit(EXIT_NOT_EXECUTED)
