"""What admins set: agents, assistants, providers, tools and releases."""
