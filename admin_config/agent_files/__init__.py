"""Agents as files (SPEC 4.13): an organization's agents and tool sources as YAML, without secrets, and back."""
