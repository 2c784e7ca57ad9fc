"""Admin pages of evaluations, on an organization's site."""

from __future__ import annotations

from admin_config.admin.sites import organization_site
from evaluations.admin.cases import CaseAdmin
from evaluations.admin.data_sets import DataSetAdmin
from evaluations.admin.experiments import ExperimentAdmin
from evaluations.models import Case, DataSet, Experiment

organization_site.register(DataSet, DataSetAdmin)
organization_site.register(Case, CaseAdmin)
organization_site.register(Experiment, ExperimentAdmin)
