"""Management commands of admin_config."""
