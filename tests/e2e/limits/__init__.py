"""Budgets, limits of messages, and what was used."""
