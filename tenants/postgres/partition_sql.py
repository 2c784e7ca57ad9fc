"""SQL of tables in partitions by month: how a new table becomes one, and the functions that make and drop partitions.

The functions belong to the owner role and run with its rights, because no process of the running product may make tables. The role `system`
may call them (tenants.postgres.append_only). They wait at most a second for a lock: who chats would wait behind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

# Each table with the column by whose month its rows are apart: a time, or an id that begins with one (tenants.time_ids).
PARTITIONED_TABLES: Final[Mapping[str, str]] = {"chat_modelcall": "created_at", "security_auditevent": "id"}
KEPT_MONTHS: Final = 2  # before this one, which stay even when they are empty: a late row may come

_OWNED = "security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s'"
NAME_FORMAT: Final = '"_y"YYYY"m"MM'  # of a partition, after its table's name


def by_month(table: str) -> Iterator[str]:
    """Put a partitioned table in the place of a new one that has no rows, and no index but its primary key."""
    column = PARTITIONED_TABLES[table]
    key = ", ".join(f'"{name}"' for name in dict.fromkeys(["id", column]))
    yield f'alter table "{table}" rename to "{table}_plain"'
    yield f'create table "{table}" (like "{table}_plain" including all excluding indexes) partition by range ("{column}")'
    yield f'drop table "{table}_plain"'
    yield f'alter table "{table}" add primary key ({key})'


def install() -> str:
    """Return the functions.

    A partition is made beside its table and attached, which blocks neither readers nor writers of the table. Writers of the tables that its
    keys name wait for that moment.
    """
    return f"""
-- Makes a table like the partitioned one, with its policies, that no working role may reach by itself.
create function tenants_partition_prepare(parent text, name text) returns void language plpgsql {_OWNED} as $$
declare
    policy record;
begin
    execute format('create table public.%I (like public.%I including all excluding indexes)', name, parent);
    execute format('alter table public.%I enable row level security', name);
    execute format('alter table public.%I force row level security', name);
    for policy in
        select policyname, cmd, qual, with_check, (select string_agg(quote_ident(role), ', ') from unnest(roles) as role) as to_roles
        from pg_policies where schemaname = 'public' and tablename = parent
    loop
        execute format('create policy %I on public.%I for %s to %s using (%s) with check (%s)',
            policy.policyname, name, policy.cmd, policy.to_roles, policy.qual, policy.with_check);
    end loop;
end $$;

-- Makes the partitions that are missing of `months` months from that of `first` on, and the one for all other rows; returns how many.
create function tenants_partitions_create(parent text, first date, months integer, most integer) returns integer
language plpgsql {_OWNED} as $$
declare
    others constant text := parent || '_default';
    key_column text;
    key_type regtype;
    month date := date_trunc('month', first);
    bounds text[];
    part text;
    strays integer;
    foreign_key record;
    again text[];
    statement text;
    made integer := 0;
begin
    select attname, atttypid into strict key_column, key_type from pg_partitioned_table
    join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
    where partrelid = to_regclass(format('public.%I', parent));
    if to_regclass(format('public.%I', others)) is null then
        perform public.tenants_partition_prepare(parent, others);
        execute format('alter table public.%I attach partition public.%I default', parent, others);
        made := 1;
    end if;
    for number in 1 .. least(months, 120) loop
        part := parent || to_char(month, '{NAME_FORMAT}');
        select array_agg(case key_type
            when 'uuid'::regtype then rpad(lpad(to_hex((extract(epoch from start) * 1000)::bigint), 12, '0'), 32, '0')::uuid::text
            else start::text end order by start)
        into bounds from unnest(array[month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC']) as start;
        if to_regclass(format('public.%I', part)) is null then
            execute format('select count(*) from (select from public.%I where %I >= %L and %I < %L limit %L) as early',
                others, key_column, bounds[1], key_column, bounds[2], most + 1) into strays;
            if strays <= most or most is null then
                perform public.tenants_partition_prepare(parent, part);
                again := '{{}}';
                if strays > 0 then
                    -- A key that names a row would refuse that it leaves its partition, so it goes and comes again.
                    for foreign_key in
                        select conrelid::regclass as child, conname, pg_get_constraintdef(oid) as definition from pg_constraint
                        where contype = 'f' and confrelid = to_regclass(format('public.%I', parent))
                    loop
                        execute format('alter table %s drop constraint %I', foreign_key.child, foreign_key.conname);
                        again := again || format('alter table %s add constraint %I %s', foreign_key.child, foreign_key.conname, foreign_key.definition);
                    end loop;
                    execute format('lock table public.%I in access exclusive mode', others);
                    execute format('with early as (delete from public.%I where %I >= %L and %I < %L returning *)
                        insert into public.%I select * from early',
                        others, key_column, bounds[1], key_column, bounds[2], part);
                end if;
                execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)',
                    parent, part, bounds[1], bounds[2]);
                foreach statement in array again loop
                    execute statement;
                end loop;
                made := made + 1;
            end if;
        end if;
        month := month + interval '1 month';
    end loop;
    return made;
end $$;

-- Drops the partitions of past months that have no rows any more; returns how many.
create function tenants_partitions_drop(parent text) returns integer language plpgsql {_OWNED} as $$
declare
    bound constant text := parent || to_char((now() at time zone 'UTC') - interval '{KEPT_MONTHS} months', '{NAME_FORMAT}');
    part regclass;
    is_used boolean;
    dropped integer := 0;
begin
    for part in
        select inhrelid::regclass from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = to_regclass(format('public.%I', parent)) and relname <> parent || '_default' and relname::text collate "C" < bound
    loop
        execute format('select exists (select from %s)', part) into is_used;
        if not is_used then
            -- The table first, as queries lock it before its partitions.
            execute format('lock table only public.%I in access exclusive mode', parent);
            execute format('select exists (select from %s)', part) into is_used;
        end if;
        if not is_used then
            execute format('alter table public.%I detach partition %s', parent, part);  -- a key that could name its rows would keep it
            execute format('drop table %s', part);
            dropped := dropped + 1;
        end if;
    end loop;
    return dropped;
end $$;

-- Renews what the planner knows of the table as a whole; PostgreSQL does that by itself for each partition alone.
create function tenants_partitions_analyze(parent text) returns void language plpgsql {_OWNED} as $$
begin
    if exists (select from pg_partitioned_table where partrelid = to_regclass(format('public.%I', parent))) then
        execute format('analyze %s public.%I', case when current_setting('server_version_num')::int >= 180000 then 'only' else '' end, parent);
    end if;
end $$;
"""  # noqa: S608  constants


def remove() -> str:
    return """
drop function tenants_partitions_analyze(text), tenants_partitions_drop(text),
    tenants_partitions_create(text, date, integer, integer), tenants_partition_prepare(text, text);
"""
