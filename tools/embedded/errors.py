"""The one error that ends a start with a sentence instead of a traceback."""

from __future__ import annotations


class StartError(Exception):
    """Parley cannot start or go on; the text is what the person at the terminal reads."""
