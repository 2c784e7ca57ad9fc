"""Management commands of admin_config: `agents`, `models_update` and `providers_add`."""
