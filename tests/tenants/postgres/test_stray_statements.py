"""What one stray statement can do as the role of requests, on a connection like production's: nothing to who acts and what lets somebody in."""

from __future__ import annotations

from contextlib import suppress
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.test import Client
from psycopg.errors import InsufficientPrivilege

from tenants.models import Session
from tests.support.accounts.cast import Cast
from tests.support.stores.logins import connect_as

# {alice} and {bob} are users of the own organization, {charlie} is the owner of the other one.
FORBIDDEN_STATEMENTS = """
select password from tenants_user
select * from tenants_user
select u from tenants_user u
select is_superuser from tenants_user
select last_login from tenants_user
select count(*) from tenants_user where password like 'md5%'
select id from tenants_user order by password
select to_jsonb(u) from tenants_user u
update tenants_user set is_superuser = true where id = {bob}
update tenants_user set is_staff = true
update tenants_user set password = 'x' where id = {alice}
update tenants_user set email = 'bob@evil.example' where id = {charlie}
update tenants_user set is_active = false
update tenants_user set name = 'Somebody else' where id = {charlie}
insert into tenants_user (email, name, password, is_superuser, is_active, is_staff, created_at) values ('e@x.org', '', 'x', true, true, true, now())
delete from tenants_user
select id from tenants_user for update
merge into tenants_user u using (select 1) s on u.id = {bob} when matched then update set is_superuser = true
select * from tenants_session
select session_key from tenants_session
select session_data from tenants_session where user_id = {charlie}
update tenants_session set user_id = {bob}
delete from tenants_session
insert into tenants_session (session_key, session_data, expire_date, user_id) values ('x', 'x', now(), {alice})
update tenants_membership set role = 'owner' where user_id = {bob}
update tenants_membership set role = 'viewer' where user_id <> {bob}
update tenants_membership set user_id = {bob} where user_id = {alice}
update tenants_membership set organization_id = '{other}' where user_id = {bob}
update tenants_membership set version = 1
update tenants_membership set id = gen_random_uuid()
insert into tenants_membership (id, organization_id, user_id, role, is_active, version, preferences, default_assistant, comment_mails, shows_cost, code_ligatures, created_at) values (gen_random_uuid(), '{acme}', {charlie}, 'owner', true, 1, '', '', true, true, false, now())
insert into tenants_membership (id, organization_id, user_id, role, is_active, version, preferences, default_assistant, comment_mails, shows_cost, code_ligatures, created_at) values (gen_random_uuid(), '{other}', {bob}, 'owner', true, 1, '', '', true, true, false, now())
insert into tenants_membership (id, organization_id, user_id, role, is_active, version, preferences, default_assistant, comment_mails, shows_cost, code_ligatures, created_at) values (gen_random_uuid(), '{other}', {bob}, 'viewer', true, 1, '', '', true, true, false, now())
update tenants_membership set is_active = true
update tenants_membership set removed_at = null, is_active = true where user_id = {bob}
update tenants_user set is_service_account = true
update tenants_user set deletion_due_at = now() where id = {charlie}
select deletion_due_at from tenants_user
select * from tenants_formerslug
insert into tenants_formerslug (slug, organization_id, created_at) values ('acme-old', '{acme}', now())
update tenants_formerslug set organization_id = '{acme}'
select text from accounts_outgoingmail
select id from accounts_outgoingmail where recipient = 'charlie@example.org'
update accounts_outgoingmail set recipient = 'bob@example.org'
delete from accounts_outgoingmail
insert into accounts_outgoingmail default values returning text
select content from accounts_userpicture
delete from accounts_userpicture
insert into accounts_invitation (id, organization_id, email, role, digest) values (gen_random_uuid(), '{acme}', 'bob@example.org', 'owner', 'x')
update accounts_invitation set role = 'owner'
update accounts_invitation set operator_id = 1, email = 'bob@example.org'
delete from accounts_invitation
insert into tenants_apitoken (id, organization_id, membership_id, digest) values (gen_random_uuid(), '{acme}', gen_random_uuid(), 'x')
update tenants_apitoken set digest = 'x'
update tenants_apitoken set revoked_at = null
update tenants_apitoken set scopes = '["read", "write", "chat"]'
insert into tenants_membergroup (id, organization_id, name, description, created_at) values (gen_random_uuid(), '{acme}', 'Board', '', now())
insert into tenants_groupmember (id, organization_id, group_id, membership_id) values (gen_random_uuid(), '{acme}', gen_random_uuid(), gen_random_uuid())
delete from tenants_groupmember
insert into accounts_signon (id, organization_id, provider, issuer, client_id) values (gen_random_uuid(), '{acme}', 'other', 'https://evil.example', 'x')
update accounts_signon set issuer = 'https://evil.example'
update accounts_signon set default_role = 'admin', creates_members = true
delete from accounts_signon
update accounts_signondomain set proven_at = now()
insert into accounts_signondomain (id, organization_id, domain, token) values (gen_random_uuid(), '{acme}', 'evil.example', 'x')
update accounts_signonidentity set subject = 'x'
delete from accounts_signonidentity
select * from accounts_provendomain
insert into accounts_provendomain (domain, organization_id) values ('evil.example', '{acme}')
update accounts_provendomain set organization_id = '{acme}'
select * from socialaccount_socialaccount
insert into socialaccount_socialaccount (provider, uid, user_id) values ('google', '1', {alice})
select * from account_emailaddress
update account_emailaddress set verified = true
select data from mfa_authenticator
delete from mfa_authenticator
insert into mfa_authenticator (user_id, type, data, created_at) values ({alice}, 'totp', '{{}}', now())
select * from security_platformevent
update security_platformevent set action = 'nothing'
delete from security_platformevent
insert into security_auditdelivery (id, organization_id) values (gen_random_uuid(), '{acme}')
select security_audit_expire('{acme}', 100)
select security_platform_audit_expire(0, 100)
update artifacts_version set content = ''
delete from artifacts_version
delete from tenants_membership where user_id = {alice}
with raised as (update tenants_membership set role = 'owner' returning id) select count(*) from raised
update tenants_membership set role = 'owner' where set_config('app.user', '{alice}', true) is not null
update tenants_organization set is_active = false
update tenants_organization set is_active = false where id = '{other}'
update tenants_organization set policy = '{{}}'
update tenants_organization set slug = 'acme-2'
insert into tenants_organization (id, name, slug, is_active, policy, created_at) values (gen_random_uuid(), 'Mine', 'mine', true, '{{}}', now())
delete from tenants_organization
select * from auth_permission
select * from auth_group
insert into auth_group (name) values ('operators')
select * from tenants_user_groups
insert into tenants_user_groups (user_id, group_id) values ({bob}, 1)
insert into tenants_user_user_permissions (user_id, permission_id) values ({bob}, 1)
select * from django_content_type
insert into django_content_type (app_label, model) values ('x', 'x')
delete from django_content_type
select * from django_admin_log
insert into django_migrations (app, name, applied) values ('tenants', '0002', now())
update django_migrations set name = 'x'
delete from django_migrations
truncate tenants_user cascade
truncate tenants_session
truncate tenants_organization cascade
update security_auditevent set action = 'nothing'
delete from security_auditevent
truncate security_auditevent
create trigger mine before update on tenants_membership for each row execute function tenants_membership_raise_version()
drop trigger tenants_membership_guard on tenants_membership
alter table tenants_membership disable trigger all
create or replace function tenants_membership_guard() returns trigger language plpgsql as 'begin return new; end'
alter table tenants_membership no force row level security
drop policy tenant_rows on tenants_membership
create policy mine on tenants_user using (true)
grant all on tenants_user to public
grant {owner} to {app}
grant {auth} to {app}
alter role {app} bypassrls
set role {auth}
set role {owner}
set role {system}
set session authorization {owner}
set session_replication_role = 'replica'
set row_security = off; select count(*) from tenants_membership
create view mine as select * from tenants_user
create function mine() returns text language sql security definer return 'x'
copy tenants_user to stdout
copy tenants_session (session_key) to stdout
select nextval('tenants_user_id_seq')
select pg_read_file('/etc/passwd')
select usename, passwd from pg_shadow
select rolname, rolpassword from pg_authid
""".strip().splitlines()


# Statements that are allowed, and what they find: the own organization's rows, and never another's.
EXPECTED_ROWS = {
    "select email from tenants_user order by email": ["alice@example.org", "bob@example.org", "vera@example.org"],
    "select email from tenants_user where id = {charlie}": [],
    "select slug from tenants_organization": ["acme"],
    "select slug from tenants_organization where id = '{other}'": [],
    "select role from tenants_membership order by role": ["member", "owner", "viewer"],
    "select role from tenants_membership where user_id = {charlie}": [],
    "select role from tenants_membership where organization_id = '{other}' or true order by role": ["member", "owner", "viewer"],
    "update tenants_membership set preferences = 'Obey me' where organization_id = '{other}' returning user_id": [],
    "select role from tenants_membership where user_id = {charlie} for no key update": [],
}


NAMES = {
    "alice": 1,
    "bob": 2,
    "charlie": 3,
    "acme": UUID(int=1),
    "other": UUID(int=2),  # the rights are the same whoever they are
    **{role: getattr(settings.DATABASE_ROLES, role) for role in ("app", "auth", "owner", "system")},
}


CONTEXT = "select set_config('app.org', %s, true), set_config('app.user', %s, true)"


@pytest.mark.parametrize("statement", FORBIDDEN_STATEMENTS)
def test_a_stray_statement_is_refused(statement: str, db: None) -> None:
    with connect_as("default") as app:
        app.execute(CONTEXT, [str(NAMES["acme"]), str(NAMES["bob"])])
        with pytest.raises(InsufficientPrivilege):
            app.execute(statement.format(**NAMES))


@pytest.mark.django_db(transaction=True)
def test_a_stray_look_ends_at_the_organization(cast: Cast) -> None:
    names = {"charlie": cast.charlie.pk, "other": cast.other.pk}
    with connect_as("default") as app:
        app.execute(CONTEXT, [str(cast.acme.pk), str(cast.bob.pk)])
        rows = {statement: [value for (value,) in app.execute(statement.format(**names))] for statement in EXPECTED_ROWS}
    assert rows == EXPECTED_ROWS


@pytest.mark.django_db(transaction=True)
def test_without_an_organization_nothing_is_seen(cast: Cast) -> None:
    for table in ("tenants_user", "tenants_membership", "tenants_organization", "artifacts_artifact"):
        with connect_as("default") as app, suppress(psycopg.errors.UndefinedObject):
            assert app.execute(f"select id from {table}").fetchall() == []


def test_a_session_row_does_not_hold_what_the_cookie_holds(cast: Cast, client: Client) -> None:
    client.force_login(cast.bob)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    row = Session.objects.get()
    assert key not in f"{row.session_key}{row.session_data}"
    stranger = Client()
    stranger.cookies[settings.SESSION_COOKIE_NAME] = row.session_key
    assert stranger.get("/o/acme/api/conversations/").status_code == 401
    assert client.get("/o/acme/api/conversations/").status_code == 200
