"""The real product in processes of its own, and the servers that it needs."""
