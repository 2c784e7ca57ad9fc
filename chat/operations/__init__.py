"""The board of operations: endpoints, stuck and waiting runs, errors, tool sources and lanes (SPEC 8.7; docs/decisions/0071).

`admin.py` has the organization's page and the operator's, of all organizations; `chat/admin.py` calls it. Its other modules
read one part of the board each: `endpoints.py`, `open_breakers.py`, `open_runs.py`, `run_errors.py`, `tool_sources.py`, `lanes.py`.
`sparklines.py` draws what happened beside a line. The operator's overview (usage) asks `open_breakers.py`, too.
"""
