"""Checks of configuration values, wherever they are entered: in a form, a file or an older version.

Used by models, services and forms. agents.prompts and agents.selection_edit render prompts with `prompt_templates`.

- `agents`, `extra_fields`, `lengths`, `prompt_templates`, `settings_schemas`, `text_lists`, `tool_rules`: the checks.
- `json_key_order`: of JSON objects, which the database forgets.
"""
