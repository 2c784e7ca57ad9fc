"""Checks of configuration values, wherever they are entered: in a form, a file or an older version.

Used by models and forms. agents.prompts and agents.selection_edit render prompts with `prompt_templates`.
"""
