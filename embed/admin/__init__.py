"""The admins' page of an organization's embedded chats. Django alone calls this room, when it looks for admin pages.

- `embed_sites`: the page, with the HTML to copy, the secret and the preview; `forms`: what an admin enters.
- `limit_rows`: the limits of one embed, as a table on its page. `statistics`: its figures.
"""

from __future__ import annotations

from admin_config.admin.sites import organization_site
from embed.admin.embed_sites import EmbedSiteAdmin
from embed.models import EmbedSite

organization_site.register(EmbedSite, EmbedSiteAdmin)
