"""Secrets: who can use them, and that they are seen nowhere."""
