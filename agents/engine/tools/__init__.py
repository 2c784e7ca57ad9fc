"""Tool calls: argument checks, approval and execution of the calls of a step.

Called by agents.engine.loop through `step_tools` and `toolset`. `coercion` and `value_corrections` are also used by
agents.providers, agents.runtime and agents.api to parse and check arguments; `waiting_calls` and `step_tools` by
chat.runs and chat.storage, which settle the open calls of stopped runs.
"""
