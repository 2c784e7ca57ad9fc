"""Members of an organization: roles, groups, deactivation, removal and what becomes of what they own, their tokens."""
