"""Many conversations: the first one, the list, projects, the search, and who may open which."""
