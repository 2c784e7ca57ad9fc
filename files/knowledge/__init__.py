"""Knowledge files (SPEC 4.10): files that admins upload into folders, and members into projects, for agents to read and search.

files.admin, files.tasks and chat.projects call `services`; agents.tools calls `selectors`, `search` and `paths`; chat reads `models`, too.
"""
