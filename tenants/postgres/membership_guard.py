"""The trigger that decides who may give and take roles, whatever the code above it does.

It looks at who acts (`app.user`, set by `tenants.context.identity_tx`): that member's role in the organization, or an operator. Where nobody
acts, it lets people join as members and viewers, and visitors of embedded chats appear, who never become anything else; auditors and
service accounts need somebody who may give their rights. An organization's
own sign-on is no person: under its name (`app.act`, set by `tenants.context.sign_on_act`) it gives any role but owner to people who have
access, and never touches an owner, an access that has ended or a service account.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

NAME = "tenants_membership_guard"

_BODY = """
declare
    organization constant uuid := coalesce(new.organization_id, old.organization_id);
    member constant bigint := coalesce(old.user_id, new.user_id);
    acting_user constant bigint := nullif(current_setting('app.user', true), '')::bigint;
    is_sign_on constant boolean := acting_user is null and coalesce(current_setting('app.act', true), '') = 'sign_on';
    acting_role varchar;
    is_first boolean;
begin
    if current_user in ({exempt}) then
        return coalesce(new, old);
    end if;
    if tg_op = 'UPDATE' then
        if (new.id, new.organization_id, new.user_id) is distinct from (old.id, old.organization_id, old.user_id) then
            raise insufficient_privilege using message = 'A membership cannot move to another person or organization.';
        end if;
        if (new.role, new.is_active) is not distinct from (old.role, old.is_active) then
            return new;
        end if;
    end if;
    if tg_op = 'UPDATE' and new.role <> old.role and 'visitor' in (old.role, new.role) then
        raise insufficient_privilege using message = 'A visitor never becomes a member, nor a member a visitor.';
    end if;
    if tg_op = 'INSERT' and (new.role = 'visitor') then
        if acting_user is null and not is_sign_on and exists (select from tenants_user where id = member and is_service_account) then
            return new;
        end if;
        raise insufficient_privilege using message = 'Nobody makes a visitor of a person.';
    end if;
    if exists (select from tenants_user where id = acting_user and is_superuser and is_active) then
        return coalesce(new, old);
    end if;
    select role into acting_role from tenants_membership
        where organization_id = organization and user_id = acting_user and is_active;
    is_first := tg_op = 'INSERT' and not exists (select from tenants_membership where organization_id = organization);
    if is_first and not is_sign_on then
        return new;
    end if;
    if 'owner' in (old.role, new.role) and acting_role is distinct from 'owner' then
        raise insufficient_privilege using message = 'Only an owner makes, changes or removes an owner.';
    end if;
    if acting_role in ('owner', 'admin') then
        return coalesce(new, old);
    end if;
    if member = acting_user and tg_op = 'DELETE' then
        return old;
    end if;
    if member = acting_user and tg_op = 'UPDATE' and new.role = old.role and not new.is_active then
        return new;
    end if;
    if tg_op <> 'DELETE' and not exists (select from tenants_user where id = member and is_service_account) then
        if tg_op = 'INSERT' and new.role in ('member', 'viewer') then
            return new;
        end if;
        if is_sign_on and new.is_active and coalesce(old.is_active, true) then
            return new;
        end if;
    end if;
    raise insufficient_privilege using message = 'Only owners and admins give and take roles and access.';
end
"""


def statements() -> Iterator[str]:
    """Create the function and its trigger anew, owned by the owner and run with the rights of whoever writes."""
    head = f"create or replace function {NAME}() returns trigger language plpgsql set search_path = public, pg_temp"
    yield f"{head} as $guard${body()}$guard$"
    yield f"create or replace trigger {NAME} before insert or update or delete on tenants_membership for each row execute function {NAME}()"


def body() -> str:
    """Return the function's source, as PostgreSQL stores it."""
    roles = settings.DATABASE_ROLES
    return _BODY.format(exempt=f"'{roles.owner}', '{roles.system}'")
