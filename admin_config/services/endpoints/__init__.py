"""What an organization's endpoints give: tests of their connection, models fetched from them, and whether rows are usable.

Called by `admin_config.admin` through `connection_tests`, `fetched_models` and `usability`; `problems` words what a test found in the reader's language.
"""
