"""Form fields of the configuration's own, with their widgets. Used by the forms only.

- `schema_fields`: a field for each setting that a pydantic model describes.
- `pair_rows`, `argument_rows` and `body_rows` (on `json_rows`), `tool_rules`: what is edited in rows. `template_widget` draws them.
"""
