"""Agents: what holds for a kind at all providers and at one, agents that admins make, and assistants (SPEC 4.9, 4.14, 4.15).

Called by admin and forms. The draft and the releases are made with `bases`, `platform_agents` and `prompt_limits`, which agents.api uses, too.

- `platform_agents`, `bases`: the two levels below a provider's agent; `by_provider`: all values side by side, in
  the words of `value_texts`; `copies`: copying them.
- `custom_agents`, `assistants`: agents that admins make.
- `prompt_limits`: how long a system prompt may be. `changed_defaults`: notes, when a draft is published, which texts
  are the organization's own, and says where the platform's default has changed under them.
"""
