"""The scanner that the operator set, and what becomes of a file that it refuses."""

from __future__ import annotations

import shlex
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

import structlog
from django.conf import settings
from django.utils.translation import gettext_noop

from files.errors import FileInfected, ScannerUnavailable
from files.scanning.command import command_scan
from files.scanning.icap import icap_scan
from files.scanning.verdict import ScannerUnreachable
from security.audit import audit
from tenants.models import Membership

log = structlog.get_logger(__name__)

COMMAND: Final = "command:"
PATIENCE: Final = timedelta(hours=1)  # with a scanner that is away, before the file is given up
RETRY: Final = timedelta(seconds=15)
NOT_CHECKED = gettext_noop("It could not be checked for malware. Attach it again later.")
INFECTED = gettext_noop("It was refused: the malware scanner found %(threat)s in it.")


def is_scanning() -> bool:
    return bool(settings.MALWARE_SCANNER)


def scan(content: bytes) -> str:
    """Return the name of the threat in the content, or "" when it is clean or no scanner is set. Raises ScannerUnreachable."""
    place: str = settings.MALWARE_SCANNER
    if not place:
        return ""
    try:
        if place.startswith(COMMAND):
            return command_scan(shlex.split(place.removeprefix(COMMAND)), content)
        return icap_scan(urlsplit(place), content)
    except ScannerUnreachable as error:
        log.warning("scanner_away", reason=str(error))
        raise


def check_now(content: bytes) -> None:
    """Check a file that can't wait. Raises FileInfected, and ScannerUnavailable: what is not checked is not taken."""
    try:
        threat = scan(content)
    except ScannerUnreachable as error:
        raise ScannerUnavailable from error
    if threat:
        raise FileInfected(threat)


def infection_audit(*, organization_id: UUID, owner_id: UUID | None, file_id: UUID, threat: str) -> None:
    """Write the audit event, in the caller's transaction. `owner_id`: the membership that sent the file, if one did."""
    user_id = Membership.objects.filter(pk=owner_id).values_list("user_id", flat=True).first() if owner_id else None
    audit(
        organization_id=organization_id,
        actor_user_id=user_id,
        action="file.infected",
        object_kind="file",
        object_id=file_id,
        detail={"threat": threat},
    )
