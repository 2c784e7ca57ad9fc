"""Agents as files (SPEC 4.13): exports an organization's agents and tool sources to YAML, without secrets, and imports them.

Called by the management command `agents`.
"""
