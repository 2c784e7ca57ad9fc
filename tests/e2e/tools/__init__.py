"""Calls of tools as the chat shows them, and asks about them."""
