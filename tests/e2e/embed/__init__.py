"""A chat in somebody else's page."""
