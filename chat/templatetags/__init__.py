"""Template tags of the chat page's template."""
