"""Knowledge files (SPEC 4.10): files that admins upload into folders, for agents to read and search.

files.admin and files.tasks call `services`; agents.tools calls `selectors`, `search` and `paths`.
"""
