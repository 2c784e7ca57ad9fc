"""What people made in an organization, or one of its members, as a ZIP for whoever takes it along (`manage.py organization_export`).

It has what each member and each visitor of an embedded chat made, as in a member's own export, and of the organization its name, members and
groups, its agents, the templates that are its own, its audit log and its usage by day. Passwords, keys and tokens are in none of it, nor is
what was deleted. `manifest.json` proves what went: the size and the SHA-256 of each file, and how many rows of each table the organization
had, by the names that the report of a deletion has.
"""

from __future__ import annotations

import os
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from errno import EEXIST
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
from django.utils import timezone

from accounts.profile.personal_exports import member_things
from admin_config.agent_files.exporting import agents_export
from gallery.ownership import templates_export
from security.audit import audit
from security.audit.exports import export_batches
from security.audit.reading import AuditFilters
from tenants.context import tenant_tx
from tenants.deletion.graph import rows_of, tenant_tables
from tenants.models import GroupMember, Membership, Organization
from usage.models import UsageSum

USAGE_BATCH = 1000
Piece = tuple[str, Iterable[bytes]]  # path in the ZIP, content


def organization_export(organization: Organization, target: Path, *, member: Membership | None = None) -> dict[str, Any]:
    """Write the ZIP of the organization, or of one member; return its manifest. Raises OSError, also where `target` exists.

    Each thing is read in a transaction of its own, so what changes meanwhile may be in it or not. An unfinished file is deleted.
    """
    if target.exists():
        raise FileExistsError(EEXIST, os.strerror(EEXIST), str(target))
    part_path = target.with_name(f"{target.name}.part")
    descriptor = os.open(part_path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            manifest = _write(zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED), organization, member)
        _audit(organization, member, len(manifest["files"]))  # first: what is not in the log is not handed out
        part_path.rename(target)
    except BaseException:
        part_path.unlink()
        raise
    return manifest


def _audit(organization: Organization, member: Membership | None, files: int) -> None:
    audit(
        organization_id=organization.pk,
        actor_user_id=None,
        action="membership.export" if member else "organization.export",
        object_kind="membership" if member else "organization",
        object_id=(member or organization).pk,
        object_label=str(member.user) if member else organization.name,
        detail={"files": files},
    )


def _write(archive: zipfile.ZipFile, organization: Organization, member: Membership | None) -> dict[str, Any]:
    with archive:
        pieces = _member_pieces(member) if member else _organization_pieces(organization)
        files = {path: _add(archive, path, content) for path, content in pieces}
        manifest = {
            "organization": organization.slug,
            "member": str(member.user) if member else None,
            "madeAt": timezone.now(),
            "rows": None if member else _rows(organization.pk),
            "files": files,
        }
        archive.writestr("manifest.json", _json(manifest))
    return manifest


def _add(archive: zipfile.ZipFile, path: str, content: Iterable[bytes]) -> dict[str, Any]:
    """Write one file; return its size and its checksum."""
    digest, size = sha256(), 0
    with archive.open(path, "w", force_zip64=True) as file:
        for part in content:
            file.write(part)
            digest.update(part)
            size += len(part)
    return {"bytes": size, "sha256": digest.hexdigest()}


def _organization_pieces(organization: Organization) -> Iterator[Piece]:
    with tenant_tx(organization.pk):
        members = list(Membership.objects.filter(organization_id=organization.pk).select_related("user").order_by("created_at"))
        description, agents = _description(organization, members), agents_export()
    yield "organization.json", [_json(description)]
    yield "agents.yaml", [agents.encode()]
    for path, content in templates_export(organization.pk, None):
        yield path, [content]
    filters = AuditFilters(period="all")
    yield "audit.jsonl", (lines for lines, _ in export_batches(organization.pk, filters, "jsonl", timezone.now()))
    yield "usage.jsonl", _usage(organization.pk)
    for member in members:
        yield from _member_pieces(member)


def _member_pieces(member: Membership) -> Iterator[Piece]:
    for path, content in member_things(member.organization_id, member.pk):
        yield f"members/{member.pk}/{path}", [content]


def _description(organization: Organization, members: Iterable[Membership]) -> dict[str, Any]:
    """The name, the policy, and who the members are, whose folders have their ids as names. Needs the organization's `tenant_tx`."""
    groups = defaultdict[UUID, list[str]](list)
    for member_id, name in GroupMember.objects.order_by("group__name").values_list("membership_id", "group__name"):
        groups[member_id].append(name)
    return {
        "id": organization.pk,
        "name": organization.name,
        "slug": organization.slug,
        "createdAt": organization.created_at,
        "policy": organization.policy,
        "members": [
            {
                "id": member.pk,
                "name": member.user.name,
                "email": member.user.email,
                "role": member.role,
                "isActive": member.is_active,
                "memberSince": member.created_at,
                "groups": groups[member.pk],
            }
            for member in members
        ],
    }


def _usage(organization_id: UUID) -> Iterator[bytes]:
    """The sums of usage by day, a line for each."""
    last = UUID(int=0)
    while True:
        with tenant_tx(organization_id):
            rows = list(UsageSum.objects.filter(pk__gt=last).order_by("pk").values()[:USAGE_BATCH])
        yield b"".join(orjson.dumps(row, default=str, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
        if len(rows) < USAGE_BATCH:
            return
        last = rows[-1]["id"]


def _rows(organization_id: UUID) -> dict[str, int]:
    counts = {model._meta.label: rows_of(model, organization_id).count() for model in tenant_tables()}
    return {label: count for label, count in sorted(counts.items()) if count}


def _json(content: dict[str, Any]) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_INDENT_2)
