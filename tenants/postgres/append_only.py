"""Tables whose rows no role of the running product changes or deletes: the SQL for migrations, and the check at a start.

Only functions of the owner role delete rows, and only old ones (security.audit_sql).
"""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

# Each with the trigger that sets the dates of its rows.
APPEND_ONLY_TABLES = {"security_auditevent": "audit_stamp", "security_platformevent": "audit_stamp"}

_FORBIDDEN = ("UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "REFERENCES")


def append_only(table: str, *, app_reads: bool = True) -> str:
    """Return the statement that leaves the working roles nothing but to add rows and to read them."""
    roles = settings.DATABASE_ROLES
    rights = "select, insert" if app_reads else "insert"
    return (
        f'revoke all on "{table}" from "{roles.app}", "{roles.system}"; '
        f'grant {rights} on "{table}" to "{roles.app}"; grant select, insert on "{table}" to "{roles.system}"'
    )


def append_only_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Report rights that would let a working role change the audit log, and triggers that are missing or switched off."""
    roles = settings.DATABASE_ROLES
    with connection.cursor() as cursor:
        cursor.execute(_RIGHTS, [[*APPEND_ONLY_TABLES], [roles.app, roles.system], [*_FORBIDDEN]])
        for table, role, right in cursor.fetchall():
            yield f"Role {role} has the right to {right} on {table}, whose rows are only added: revoke it."
        cursor.execute(_TRIGGERS, [[*APPEND_ONLY_TABLES]])
        found = set(cursor.fetchall())
        cursor.execute("select relname::text from pg_class where relnamespace = 'public'::regnamespace")
        tables = {name for (name,) in cursor.fetchall()}
    for table, trigger in APPEND_ONLY_TABLES.items():
        if table in tables and (table, trigger) not in found:
            yield f"Table {table} has no trigger {trigger} that sets the dates of its rows: run the migrations again."


# A right on a single column counts, too.
_RIGHTS = """
select relname::text, role, wanted from pg_class, unnest(%s::text[]) as tables (name), unnest(%s::text[]) as roles (role),
    unnest(%s::text[]) as rights (wanted)
where relnamespace = 'public'::regnamespace and relname = tables.name and exists (select from pg_roles where rolname = role)
    and (has_table_privilege(role, pg_class.oid, wanted)
         or (wanted in ('UPDATE', 'REFERENCES') and has_any_column_privilege(role, pg_class.oid, wanted)))
order by 1, 2, 3"""
_TRIGGERS = """
select tgrelid::regclass::text, tgname::text from pg_trigger
where tgenabled in ('O', 'A') and not tgisinternal and tgrelid::regclass::text = any(%s)"""
