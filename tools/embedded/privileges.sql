-- Part of roles.sql, once per database. Rights on tables are granted by each migrate (tenants/postgres/table_rights.py), not by default.
grant usage, create on schema public to parley_owner;
grant usage on schema public to parley_app, parley_auth, parley_system;
