"""Which release a member gets: SQL that reads along with other facts, so that the choice costs no statement of its own.

A member's place is a hash of member and release: always the same for a release, another one for the next.
"""

from __future__ import annotations

from typing import Final

PLACES: Final = 65536

_IS_IN: Final = """\
CASE
    WHEN c.group_id IS NOT NULL THEN EXISTS (
        SELECT FROM tenants_groupmember g
        WHERE g.organization_id = c.organization_id AND g.group_id = c.group_id AND g.membership_id = {membership}
    )
    WHEN c.percent IS NULL THEN false
    ELSE (
        SELECT (get_byte(h, 0) * 256 + get_byte(h, 1)) * 100 < c.percent * {places}
        FROM sha256(convert_to(({membership})::text || c.release_id::text, 'UTF8')) h
    )
END"""


def is_in_canary_sql(membership: str) -> str:
    """Return a condition on a canary `c`: whether it is for this member. `membership`: an expression of a membership's id."""
    return _IS_IN.format(membership=membership, places=PLACES)


def release_of_sql(organization: str, membership: str) -> str:
    """Return an expression of the id of the release that the member's new runs start with; null before anything was published."""
    return f"""\
COALESCE(
    (
        SELECT c.release_id FROM admin_config_canary c
        WHERE c.organization_id = {organization} AND c.ended_at IS NULL AND {is_in_canary_sql(membership)}
    ),
    (SELECT live_release_id FROM admin_config_appsettings WHERE organization_id = {organization})
)"""  # noqa: S608  expressions of our own
