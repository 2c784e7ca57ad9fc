"""SQL of the audit log: triggers that no insert goes around, and the only functions that delete events (docs/decisions/0029).

What the roles may do with the tables is in tenants.postgres.platform_tables.

All belong to the owner role, and all but the stamp, which asks who writes, run with its rights (SECURITY DEFINER), with a fixed search path
and full names.
"""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from django.conf import settings

DEFAULT_DAYS = 400  # both are written into functions below: a change needs a migration that installs these anew
MIN_DAYS = 30  # a policy of less would let an intruder with an admin's rights remove the traces of this week

_OWNED = "security definer set search_path = pg_catalog, pg_temp"


def install() -> str:
    roles = settings.DATABASE_ROLES
    return f"""
create function security_audit_address(given text, policy text) returns text language sql immutable {_OWNED} as $$
    select case
        when given = '' or policy = 'full' then given
        when policy = 'none' then ''
        else network(set_masklen(given::inet, case family(given::inet) when 4 then 24 else 48 end))::text
    end
$$;

-- The owner may give a date: it restores backups. The working roles get the database's.
create function security_audit_stamp() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if current_user <> '{roles.owner}' then
        new.created_at := clock_timestamp();
    end if;
    new.object_key := lower(new.object_label);
    return new;
end $$;

create function security_audit_shorten() returns trigger language plpgsql {_OWNED} as $$
begin
    if new.address <> '' then
        new.address := public.security_audit_address(
            new.address,
            (select coalesce(policy->>'audit_addresses', 'prefix') from public.tenants_organization where id = new.organization_id)
        );
    end if;
    return new;
end $$;

create function security_audit_queue() returns trigger language plpgsql {_OWNED} as $$
begin
    insert into public.security_auditdelivery (id, organization_id, webhook_id, event_id, created_at)
    select gen_random_uuid(), new.organization_id, webhook.id, new.id, new.created_at
    from public.security_auditwebhook webhook
    where webhook.organization_id = new.organization_id and webhook.is_enabled;
    return null;
end $$;

create trigger audit_stamp before insert on security_auditevent for each row execute function security_audit_stamp();
create trigger audit_shorten before insert on security_auditevent for each row execute function security_audit_shorten();
create trigger audit_queue after insert on security_auditevent for each row execute function security_audit_queue();
create trigger audit_stamp before insert on security_platformevent for each row execute function security_audit_stamp();

-- Deletes at most `batch` events that are older than the organization's policy says; returns how many.
create function security_audit_expire(organization uuid, batch integer) returns integer language plpgsql {_OWNED} as $$
declare
    days integer;
    old uuid[];
begin
    select greatest({MIN_DAYS}, coalesce((policy->>'audit_days')::integer, {DEFAULT_DAYS})) into days
    from public.tenants_organization where id = organization;
    select array_agg(id) into old from (
        select id from public.security_auditevent
        where organization_id = organization and created_at < clock_timestamp() - make_interval(days => days)
        order by created_at limit batch
    ) as oldest;
    delete from public.security_auditdelivery where organization_id = organization and event_id = any(old);
    delete from public.security_auditevent where organization_id = organization and id = any(old);
    return coalesce(array_length(old, 1), 0);
end $$;

-- The same for the operator's log, whose days are a setting: never fewer than {MIN_DAYS}.
create function security_platform_audit_expire(days integer, batch integer) returns integer language plpgsql {_OWNED} as $$
declare
    gone integer;
begin
    delete from public.security_platformevent where id in (
        select id from public.security_platformevent
        where created_at < clock_timestamp() - make_interval(days => greatest({MIN_DAYS}, days))
        order by created_at limit batch
    );
    get diagnostics gone = row_count;
    return gone;
end $$;
"""  # noqa: S608  the roles are the operator's own


def remove() -> str:
    return """
drop trigger audit_stamp on security_auditevent;
drop trigger audit_shorten on security_auditevent;
drop trigger audit_queue on security_auditevent;
drop trigger audit_stamp on security_platformevent;
drop function security_audit_expire(uuid, integer), security_platform_audit_expire(integer, integer),
    security_audit_stamp(), security_audit_shorten(), security_audit_queue(),
    security_audit_address(text, text);
"""


def shorten_address(address: str) -> str:
    """Return a client's address as the operator's own log keeps it (PLATFORM_AUDIT_ADDRESSES). For organizations' events the trigger does it."""
    if not address or settings.PLATFORM_AUDIT_ADDRESSES == "full":
        return address
    if settings.PLATFORM_AUDIT_ADDRESSES == "none":
        return ""
    return str(ip_network(f"{address}/{24 if ip_address(address).version == 4 else 48}", strict=False))
