"""Admin pages of evaluations, on an organization's site.

- `data_sets`, `cases`, `experiments`, `requirements`, `canaries`: a page each; `forms`: of cases. `agent_tab`: a tab of an agent's page.
- `canary_overview`: the canary on the overview.
- `replays` with `replay_forms` and `replay_tools`: recorded runs, run again.
"""

from __future__ import annotations

from admin_config.admin.agents.page import AgentAdmin
from admin_config.admin.publish_page import PublishPage
from admin_config.admin.sites import organization_site
from admin_config.models import Canary
from evaluations.admin.agent_tab import agent_part
from evaluations.admin.canaries import CanaryAdmin, rules_from, rules_part
from evaluations.admin.canary_overview import overview_part
from evaluations.admin.cases import CaseAdmin
from evaluations.admin.data_sets import DataSetAdmin
from evaluations.admin.experiments import ExperimentAdmin
from evaluations.admin.replays import ReplayAdmin
from evaluations.admin.requirements import RequirementAdmin
from evaluations.gate.page import checks_part
from evaluations.models import Case, DataSet, Experiment, Replay, Requirement

organization_site.register(DataSet, DataSetAdmin)
organization_site.register(Case, CaseAdmin)
organization_site.register(Experiment, ExperimentAdmin)
organization_site.register(Replay, ReplayAdmin)
organization_site.register(Requirement, RequirementAdmin)
organization_site.register(Canary, CanaryAdmin)
AgentAdmin.agent_parts.append(agent_part)
PublishPage.publish_parts += [checks_part, rules_part]
PublishPage.canary_rules.append(rules_from)
organization_site.overview_parts.append(overview_part)
