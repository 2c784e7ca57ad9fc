"""Runs: who owns a run, how it is executed, recovered and stopped.

Called by chat.api and chat.openai_api through `commands` (a person's call to a run), `supervisor` (start a run here), `task_queue`
(let a worker take it), `shield` (work that outlives its caller) and `announcements` (what a member's open pages are told); by chat.tasks
through `commands`, `worker_loop`, `client_outputs` and `title_generation`; by `config` through `supervisor`, `worker_loop` and `recovery`.
chat.openai_api also takes a limit from `run_owner` and texts from `failures`.

- `supervisor`: the runs of this process, with their leases. `recovery`: finds runs whose owner was lost. `worker_loop`: where workers run.
- `execution` lets a `run_owner` work on one run, through `journal/`, which stores and publishes what the engine produces, and
  `run_control`, which brings in inputs and stop requests. `failures`: what a failed run tells its user. `run_report`: metrics and a line
  in the log.
- `commands`: stop, decide, send into a run; `run_inputs` and `client_outputs` store what was sent.
- `title_generation`: written by a model after the first answer.
"""
