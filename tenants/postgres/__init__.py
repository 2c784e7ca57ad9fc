"""PostgreSQL: row security, database roles, bulk inserts, round trips and column types.

- `row_security_sql`, `migration_operations`: policies and composite foreign keys, applied by migrations of all apps.
- `row_security_checks`: checks the database's catalogue when a process starts (config.asgi, config.celery, tenants.checks).
- `platform_tables`: what each role may do with tables that belong to no organization; `table_rights` and `membership_guard` apply it after
  each migrate, `platform_checks` checks it, and `router` picks the role.
- `partitions`: tables in partitions by month, for `tenants.tasks`, metrics and `doctor`; `partition_sql` has what the owner runs.
- `roles`: the four database roles, built by the settings. `append_only`: tables whose rows none of them changes.
- `backend`: Django's own, with repairs of its pool.
- `migration_state`: whether the database has the tables of this code; `unpooled_connection`: the one with which a start asks.
- `prepared_statements`, `bulk_insert`: faster statements for hot paths; any app may use them. `replica`: what may be read from a standby.
- `fields`: VerbatimJSONField.
"""
