"""Admin config: agents, providers, models and tool sources of each organization, published as immutable releases.

Admins edit working rows (the draft). Publishing composes them with the platform's defaults into a release, and runs use the release that
was live when they began.

- `models`: the working rows and the releases.
- `release`: the typed content of a release, read by agents and chat.
- `defaults`: the platform's defaults of providers, agent kinds, prompts and options.
- `services`: publishing, seeding, the draft, the model catalogue; the only writers of the rows.
- `validation`: checks of values, wherever they are entered.
- `forms` and `admin`: the two admin sites.
- `agent_files`: export and import of agents as YAML.
- `publish_gate`: what apps above ask of a draft before it goes live.
- `endpoint_models`: the models that an endpoint lists, as agents asks it.
- `extension_kinds`: registries that agents.plugins and agents.tools fill at start.
- `tasks`: updates of the model catalogue, and the rollout of the platform's defaults.
- `errors`, `urls`, `management`: errors, URLs and commands.
"""
