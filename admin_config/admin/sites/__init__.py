"""The two admin sites (SPEC 1.4): an organization's own, and the platform operator's.

Apps register their pages at `organization_site` and `operator_site`, which this package hands out.

- `base`, `theme`: what both sites share; `organization`, `operator`: one site each, with its sidebar; `events` writes an audit event for
  each change of a row there.
- `mount`: serves an organization's site below /o/<slug>/admin/ (`organization_urls`); `admin_config.urls` mounts it.
- `proof`: the requests for which a recent proof is asked. `script_texts`: the texts of the admin's scripts.
"""

from __future__ import annotations

from admin_config.admin.sites.operator import operator_site
from admin_config.admin.sites.organization import organization_site

__all__ = ["operator_site", "organization_site"]
