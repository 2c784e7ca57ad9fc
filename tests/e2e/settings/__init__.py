"""A member's own settings: keys, tokens, and what they want of answers."""
