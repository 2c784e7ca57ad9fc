"""The database: its walls between organizations, its roles, its connections, and its migrations."""
