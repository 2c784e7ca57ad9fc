"""Artifact agents: agents that write documents, programs and diagrams into the artifact panel (SPEC 4.4 to 4.8).

agents.tools.sources offers them to the chat agent through `tool`, `store` and `rules`. agents.selection_edit uses
`authoring`, chat.runs uses `rules` and chat.storage uses `artifacts_context`.

- `tool`: the agent as a tool. `requests` and `results`: its arguments and output. `rules`: what each agent can do.
- `attached_files`: which files of the conversation go along.
- `authoring`: gets a complete text from the model, checks and repairs it.
- `artifact_writer`: streams a text into an artifact version.
- `suggestion_writer`, `suggestion_parser`: suggested changes to a document.
- `ports`: the interface of the artifact store. `store`: its implementation in the database.
- `journal`: the agents' journals. `mermaid`: the check of diagrams; `problems`: what a check finds.
- `artifacts_context`: what the chat agent is told about a conversation's artifacts.
"""
