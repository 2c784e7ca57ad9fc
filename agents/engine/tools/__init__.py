"""Tool calls: argument checks, approval and execution of the calls of a step.

Called by agents.engine.loop through `step_tools` and `toolset`; `waiting_calls` and `step_tools` also by chat.runs and
chat.storage, which settle the open calls of stopped runs.
"""
