"""The journal of a run: the only way in which a run adds to its conversation (SPEC 3.6).

Called by `run_owner` and `run_control`, through `run_journal`. That stores entries. What it keeps of a run that goes on has modules of
their own:

- `answer_stream`: the answer as its viewers have it, from the first chunk to the last.
- `open_parts`: the parts of a response that viewers have and the database does not have yet.
- `live_artifacts`: artifacts that are being written.
- `model_calls`: the run's calls of models, with their usage and the estimate that each heartbeat shows.
  `approval_calls`: its calls of tools that need an approval.
- `deferred_reset`: a former owner's attempt that stays on screens until the new one has passed it.
- `chunk_writer`: what takes the chunks.
"""
