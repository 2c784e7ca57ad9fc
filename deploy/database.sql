-- Roles, their passwords and the database of a new installation, as PostgreSQL's superuser. It can be run again.
--   set -a; . /etc/parley/env; set +a
--   runuser -u postgres -- psql -v ON_ERROR_STOP=1 -f deploy/database.sql
-- The passwords are those of the environment (deploy/environment.py). They are sent as SQL, so use a socket or TLS.
\set database parley
\ir ../tools/embedded/roles.sql
\getenv app PARLEY_APP_PASSWORD
\getenv auth PARLEY_AUTH_PASSWORD
\getenv owner PARLEY_OWNER_PASSWORD
\getenv system PARLEY_SYSTEM_PASSWORD
alter role parley_app password :'app';
alter role parley_auth password :'auth';
alter role parley_owner password :'owner';
alter role parley_system password :'system';
