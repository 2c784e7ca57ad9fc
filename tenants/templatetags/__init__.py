"""Filters of all templates."""
