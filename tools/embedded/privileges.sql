-- Part of roles.sql, once per database.
grant usage, create on schema public to parley_owner;
grant usage on schema public to parley_app, parley_system;
alter default privileges for role parley_owner in schema public
  grant select, insert, update, delete on tables to parley_app, parley_system;
alter default privileges for role parley_owner in schema public
  grant usage, select on sequences to parley_app, parley_system;
