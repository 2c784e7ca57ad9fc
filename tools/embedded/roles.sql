-- Roles, database and default privileges; can be run again. On a server of your own:
--   psql -v ON_ERROR_STOP=1 -v database=parley -f tools/embedded/roles.sql postgresql://postgres@host/postgres
-- and give the roles passwords afterwards. None of the four bypasses row security.
-- Time limits belong to the roles, because a pooler in front refuses them as options of a connection.
select format('create role %I login nosuperuser nobypassrls %s', role, extra)
from (values ('parley_owner', 'createdb'), ('parley_app', ''), ('parley_auth', ''), ('parley_system', '')) as wanted (role, extra)
where not exists (select from pg_roles where rolname = role) \gexec
grant parley_app, parley_auth, parley_system to parley_owner; -- the owner may act for all, never the other way round
alter role parley_app set statement_timeout = '5s';
alter role parley_app set lock_timeout = '2s';
alter role parley_app set idle_in_transaction_session_timeout = '60s';
alter role parley_auth set statement_timeout = '5s';
alter role parley_auth set lock_timeout = '2s';
alter role parley_auth set idle_in_transaction_session_timeout = '60s';
alter role parley_system set statement_timeout = '5s';
alter role parley_system set lock_timeout = '2s';
alter role parley_system set idle_in_transaction_session_timeout = '60s';
alter role parley_owner set lock_timeout = '3s'; -- statements queue behind a migration that waits, and have five seconds themselves
select format('create database %I owner parley_owner template template0 encoding ''UTF8''', :'database')
where not exists (select from pg_database where datname = :'database') \gexec
\connect :database
\ir privileges.sql
