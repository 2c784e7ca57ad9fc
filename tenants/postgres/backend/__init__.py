"""Django's PostgreSQL backend with a repair of its connection pool. Only the setting ENGINE names it; Django imports `base`."""
