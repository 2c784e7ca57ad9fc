"""Checks of configuration values, wherever they are entered: in a form, a file or an older version.

Used by models and forms. agents.prompts and agents.selection_edit render prompts with `prompt_templates`.

- `agents`, `extra_fields`, `lengths`, `prompt_templates`, `text_lists`, `tool_rules`: the checks.
- `schema_fields`, `pair_rows`, `argument_rows` and `body_rows` (on `json_rows`): form fields that check what models check, too;
  `tool_rules` has one. `template_widget` draws those with rows. `json_key_order`: of JSON objects, which the database forgets.
"""
