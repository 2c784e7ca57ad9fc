"""Admin pages of the audit logs, an organization's and the platform's. `admin_config.admin` registers the classes of `logs`.

- `logs`: the admin classes. `log_page`: what a log's page shows.
- `settings`: what an organization records, and the webhooks that get its events.
"""
