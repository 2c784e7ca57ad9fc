"""Graders: each says whether an answer is as expected, and why not. No Django, no database, no network.

`kinds.py` lists them. Patterns and JSON schemas, which can take forever, are tried in a child process (`pattern_process.py`).
"""
