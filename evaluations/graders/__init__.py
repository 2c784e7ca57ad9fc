"""Graders: each says whether an answer is as expected, and why not. No Django, no database, no network.

- `kinds`: all of them, with what admins fill in; `answer`: what they read and say.
- `texts`: the answer's text; `tools`: the calls that were made; `artifacts`: what was written beside the chat; `figures`: time and money;
  `judgement`: the grader that is a model.
- `patterns`: regular expressions and JSON schemas, which can take forever: they are tried in a child process (`pattern_process`).
"""
