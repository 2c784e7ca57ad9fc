"""Input: what people enter, checked and brought into one form. Any app may call each module.

- `visible_text`: texts of one line; `networks`: CIDR texts; `pictures`: uploaded pictures, drawn again; `origins`: of pages that may show ours.
- `short_text`: what a list is filtered by, and other short texts of a request. `yaml_texts`: files of YAML; `plain_values`: what of a file's or a server's data can be kept.
"""
