"""Redis: its addresses, its connections, and its scripts."""
