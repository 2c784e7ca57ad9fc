"""Outgoing requests: which addresses they reach, and what goes over the wire."""
