"""Agents as files (SPEC 4.13): exports an organization's agents and tool sources to YAML, without secrets, and imports them.

Called by the page of agents (`admin_config/admin/agents/files.py`) and the commands `agents` and `organization_export`.
"""
