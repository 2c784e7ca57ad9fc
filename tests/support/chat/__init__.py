"""Organizations that can chat, their conversations as rows, and the sockets of their members' pages."""
