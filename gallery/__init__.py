"""Templates with an organization gallery (SPEC 7.9, docs/decisions/0055): documents, programs, diagrams, sheets and prompts with placeholders.

- `services` (writes of authors), `reviews` (what admins decide), `selectors` (who sees what), `starters` (Parley's own set): templates.
- `models`: the tables.
- `placeholders`, `filling`: the gaps of a text and what is put into them; pure.
- `saved_prompts`: templates of the kind prompt as the message box offers them behind `/`.
- `shapes`, `views`, `prompt_views`, `urls`: the REST API; `admin`: the pages of the organization's admins.
- `ownership`: what becomes of a removed member's templates, and what a member's own export has of them.

The rooms above call `services`: chat/from_templates makes an artifact of what `template_fill` returns.
"""
