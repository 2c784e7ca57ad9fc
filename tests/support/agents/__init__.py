"""Doubles of providers and of what tools call, and runs of the engine without a database."""
