"""The pages of agents: `page` puts them together, and admin_config.admin registers its class.

- `list_page`: the list; `tabs`: which part of a page is on which tab.
- `parts`, `plugins`, `sub_agents`: the inlines.
- `copying`, `files`, `trials`, `editors`: what else the page offers. `values`: one value, edited in the table *By provider*.
"""
