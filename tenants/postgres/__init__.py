"""PostgreSQL: row security, database roles, bulk inserts, round trips and column types.

- `row_security_sql`, `migration_operations`: policies and composite foreign keys, applied by migrations of all apps.
- `row_security_checks`: checks the database's catalogue when a process starts (config.asgi, config.celery, tenants.checks).
- `roles`: the three database roles, built by the settings.
- `round_trip` (prepared selects), `bulk_insert`: faster statements for hot paths; any app may use them.
- `fields`: VerbatimJSONField.
"""
