"""By which session or API token somebody comes in, and what ends it."""
