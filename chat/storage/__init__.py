"""Database reads and writes of runs: creation, loading, leases, parts, inputs, branches and the call log.

Called by chat.conversations, chat.runs, chat.api, chat.openai_api and chat.tasks. All functions are sync and run in the organization's
transaction, except those that span organizations, such as all of `leases`, which use the system role, and
`call_log.sent_request_of`, which reads files after its transaction. Nothing here checks access to
conversations: callers have found them through chat.conversations.selectors.

- A send: `send_facts` reads, `run_creation` stores, `cancel_waiting` ends the run that waits.
- An owner: `run_loading` of a `loaded_run`, `run_writes` (with `search_columns`), `pending_inputs`, `run_access` (may the member still write?), `uncertain_commits`.
- Who owns: `leases`. What a lost owner left: `lost_calls`, `lost_holds`.
- `branches`, `branch_cache`, `attached_files`: the entries of a branch.
- `call_log`: the model calls; `recorded_runs`: what a replay takes of a run.
- `open_runs`, `run_counts`: all runs of the installation, for operators.
"""
