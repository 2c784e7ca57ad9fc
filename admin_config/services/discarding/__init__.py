"""Discards the draft: writes the live release back into the working rows."""
