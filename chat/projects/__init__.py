"""Projects (SPEC 6.8, docs/decisions/0038): a member's folders of conversations, with instructions and knowledge files of their own.

- `services` (writes), `selectors` (reads): the projects; `knowledge`: their files; `attachments`: these in messages.
- `shapes` and `views`: the REST API.

Where a conversation lies is chat.conversations.filing; what a run is told of its project is agents.run_context.RunProject.
"""
