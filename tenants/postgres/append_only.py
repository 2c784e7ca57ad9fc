"""Tables whose rows no role of the running product changes or deletes: the check at a start of what the database does about them itself.

What the roles may do is in `platform_tables`. Only functions of the owner role delete rows, and only old ones (security.audit_sql), or make tables (partition_sql).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

# Each with the trigger that sets the dates of its rows.
APPEND_ONLY_TABLES = {"security_auditevent": "audit_stamp", "security_platformevent": "audit_stamp"}

# The functions that run with the owner's rights, each with the roles (fields of DatabaseRoles) that may call it. Triggers need none.
OWNER_FUNCTIONS: Mapping[str, frozenset[str]] = {
    "chat_search_documents": frozenset({"app"}),  # they name the organization themselves (chat.search.search_sql)
    "chat_search_texts": frozenset({"app"}),
    "chat_search_words": frozenset({"app"}),
    "security_audit_address": frozenset(),
    "security_audit_expire": frozenset({"system"}),
    "security_audit_queue": frozenset(),
    "security_audit_shorten": frozenset(),
    "security_platform_audit_expire": frozenset({"system"}),
    "tenants_partition_prepare": frozenset(),
    "tenants_partitions_analyze": frozenset({"system"}),
    "tenants_partitions_create": frozenset({"system"}),
    "tenants_partitions_drop": frozenset({"system"}),
}


def append_only_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Report triggers that are missing or switched off, and functions with more rights or callers than they need."""
    with connection.cursor() as cursor:
        cursor.execute(_TRIGGERS, [[*APPEND_ONLY_TABLES]])
        triggers = set(cursor.fetchall())
        cursor.execute(_TABLES, [[*APPEND_ONLY_TABLES]])
        tables = cursor.fetchall()
    for table, parent in tables:
        trigger = APPEND_ONLY_TABLES[parent]
        if (table, trigger) not in triggers:
            yield f"Table {table} has no trigger {trigger} that sets the dates of its rows: run the migrations again."
    yield from _function_problems(connection)


def _function_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    roles = settings.DATABASE_ROLES
    names = {getattr(roles, field): field for field in ("app", "auth", "system")}
    with connection.cursor() as cursor:
        cursor.execute(_FUNCTIONS, [[*names]])
        functions = cursor.fetchall()
    for name, owner, has_fixed_path, callers in functions:
        if name not in OWNER_FUNCTIONS:
            yield f"Function {name} runs with its owner's rights (SECURITY DEFINER), which nothing here asks for: drop it."
        elif owner != roles.owner or not has_fixed_path:
            yield f"Function {name} runs with the rights of {owner} or without a search path of its own: run the migrations again."
        elif surplus := sorted(role for role in callers or () if names[role] not in OWNER_FUNCTIONS[name]):
            yield f"Function {name} can be called by {', '.join(surplus)}: revoke execute on it."


# The tables that there are and their partitions, each with the name of the table.
_TABLES = """
select pg_class.oid::regclass::text, coalesce(inhparent, pg_class.oid)::regclass::text from pg_class left join pg_inherits on inhrelid = pg_class.oid
where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and coalesce(inhparent, pg_class.oid)::regclass::text = any(%s)
order by 1"""
_TRIGGERS = """
select tgrelid::regclass::text, tgname::text from pg_trigger left join pg_inherits on inhrelid = tgrelid
where tgenabled in ('O', 'A') and not tgisinternal and coalesce(inhparent, tgrelid)::regclass::text = any(%s)"""
_FUNCTIONS = """
select proname::text, pg_get_userbyid(proowner)::text, coalesce('search_path=pg_catalog, pg_temp' = any(proconfig), false),
    (select array_agg(role) from unnest(%s::text[]) as role
     where exists (select from pg_roles where rolname = role) and has_function_privilege(role, pg_proc.oid, 'execute'))
from pg_proc where prosecdef and pronamespace = 'public'::regnamespace order by proname"""
