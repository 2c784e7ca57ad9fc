"""The run explorer (SPEC 3.16, 8.7): which runs there were, what happened in one, and what the model saw.

Pages of the organization's admin site, registered by chat.admin. They read what runs and calls stored, and change nothing but the
organization's policy on who may read members' texts, and views that admins save.

- `admin`: the pages. `list_page` with `filters`, `periods` and `text_search` (search in what may be read): the list. Above it `histogram`,
  beside it `saved_views` with their `view_counts`, and `exports` as files.
- `run_page` with `spans` and `time_scale` (the waterfall) and `request_view` (one call): a run. `figures`: what runs used and cost.
"""
