"""Management commands of security."""
