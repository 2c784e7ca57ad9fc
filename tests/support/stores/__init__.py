"""The test database and Redis: made for a run, looked into, and made to fail."""
