"""The overview of an organization's admin: sums over runs and model calls, charts of them, and what waits for an admin (SPEC 8.7)."""
