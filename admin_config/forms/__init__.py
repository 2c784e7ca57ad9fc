"""Forms of the configuration pages. Used by admin_config.admin and files.admin only."""
